// The service's plans, with limits and prices. An account's owner can change to some of these plans here.

import { useId, useState } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import { change } from './account-client.ts'
import type { Account, Session } from './contract.ts'
import { toPlanName, toPrice, toUnits } from './formats.ts'
import { Dialog, focusTitle, RefusalNotice, SubmitButton } from './parts.tsx'
import { useSubmission } from './requests.ts'
import { useSession } from './session.ts'
import { texts } from './texts/texts.ts'

type OfferedPlan = Session['plans'][number]

/** Whether the owner can change to another plan. */
export function canChoosePlan(plans: readonly OfferedPlan[], current: string): boolean {
  return plans.some((each) => each.self_service && each.plan !== current)
}

interface PlansProps {
  readonly plans: readonly OfferedPlan[]
  readonly current: string
  /** Called after the plan has changed. */
  onChanged(): Promise<void>
}

/** All plans as a table, with a button for each plan that the owner can choose. */
export function PlansCard({ plans, current, onChanged }: PlansProps) {
  const [chosen, setChosen] = useState<OfferedPlan | undefined>(undefined)
  const [isChanged, setChanged] = useState(false)
  const id = useId()
  const done = async () => {
    await onChanged()
    setChosen(undefined)
    setChanged(true)
    // The button that opened the dialog has been removed, so the title gets the focus.
    requestAnimationFrame(focusTitle)
  }
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{texts().plans}</h2>
      {isChanged && <Notice kind="good">{texts().planIsNow(toPlanName(current))}</Notice>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access. */}
      <section class="scroll" tabIndex={0} aria-label={texts().plansTable}>
        <PlanTable plans={plans} current={current} onChoice={setChosen} />
      </section>
      {chosen !== undefined && <PlanChoice of={chosen} onClose={() => setChosen(undefined)} onChanged={done} />}
    </section>
  )
}

function PlanTable(props: Omit<PlansProps, 'onChanged'> & { onChoice(plan: OfferedPlan): void }) {
  const { plans, current } = props
  const hasChoice = canChoosePlan(plans, current)
  return (
    <table class="plan-table">
      <thead>
        <tr>
          <th scope="col">{texts().plan}</th>
          <th scope="col">{texts().price}</th>
          <th scope="col" class="number">
            {texts().includedMonthly}
          </th>
          <th scope="col" class="number">
            {texts().activeKeys}
          </th>
          <th scope="col" class="number">
            {texts().perExtraUnit}
          </th>
          {hasChoice && <th scope="col">{texts().change}</th>}
        </tr>
      </thead>
      <tbody>
        {plans.map((each) => (
          <tr key={each.plan} aria-current={each.plan === current ? 'true' : undefined}>
            <th scope="row">
              {toPlanName(each.plan)}
              {each.plan === current && <span class="state active">{texts().yourPlan}</span>}
            </th>
            <td data-name={texts().price}>{each.price_text === '' ? texts().contactOperator : each.price_text}</td>
            <td class="number" data-name={texts().includedMonthly}>
              {toUnits(each.included_units)}
            </td>
            <td class="number" data-name={texts().activeKeys}>
              {toUnits(each.key_limit)}
            </td>
            <td class="number" data-name={texts().perExtraUnit}>
              {each.overage_available ? toPrice(each.overage_unit_amount_decimal) : '–'}
            </td>
            {hasChoice && (
              <td class="plan-choice">
                <Choose plan={each} isCurrent={each.plan === current} onChoice={props.onChoice} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Choose(props: { readonly plan: OfferedPlan; readonly isCurrent: boolean; onChoice(plan: OfferedPlan): void }) {
  const { plan, isCurrent, onChoice } = props
  if (isCurrent) return '–'
  if (!plan.self_service) return texts().contactOperator
  const name = texts().chooseNamed(toPlanName(plan.plan))
  return (
    <button type="button" class="plain" aria-label={name} onClick={() => onChoice(plan)}>
      {texts().choose}
    </button>
  )
}

/** The dialog that confirms a change of plan. */
function PlanChoice(props: { readonly of: OfferedPlan; onClose(): void; onChanged(): Promise<void> }) {
  const { of: plan, onClose } = props
  const { renew } = useSession()
  const form = useSubmission()
  const name = toPlanName(plan.plan)
  const submit = (event: Event) => {
    event.preventDefault()
    void form.run(async () => {
      renew(await change<Account>('PUT', '/v1/plan', { plan: plan.plan }))
      await props.onChanged()
    })
  }
  return (
    <Dialog title={texts().changeToPlan(name)} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p>
          {plan.price_text !== '' && <strong>{texts().planCosts(name, plan.price_text)} </strong>}
          {texts().planGrants(texts().units(plan.included_units), plan.key_limit)}
        </p>
        <p class="aside">{texts().planAppliesAtOnce}</p>
        <RefusalNotice refusal={form.refusal} />
        <div class="row">
          <SubmitButton isBusy={form.isBusy}>{texts().changeToPlan(name)}</SubmitButton>
          <button type="button" class="plain" onClick={onClose}>
            {texts().cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
