// The billing screen: the plan, overage, and the statements for closed months.

import { useId, useState } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import { change } from './account-client.ts'
import type { Account, MonthUsage, Session } from './contract.ts'
import {
  currency,
  parseAmount,
  toAmount,
  toList,
  toLongDay,
  toPlanName,
  toPrice,
  toTypedAmount,
  toUnits,
} from './formats.ts'
import { Fact, Field, RefusalNotice, ScreenTitle, SubmitButton, Waiting } from './parts.tsx'
import { canChoosePlan, PlansCard } from './plans.tsx'
import { useAnswer, useSubmission } from './requests.ts'
import { useLoggedIn, useSession } from './session.ts'
import { Statements } from './statements.tsx'
import { texts } from './texts/texts.ts'

/** The billing screen. */
export function Billing() {
  const { account, plans } = useLoggedIn()
  const usage = useAnswer<{ usage: MonthUsage }>('/v1/usage')
  const month = usage.value?.usage
  return (
    <>
      <ScreenTitle title={texts().billing} />
      {month === undefined ? (
        <Waiting problem={usage.problem} again={usage.again} />
      ) : (
        <>
          <PlanCard month={month} keyLimit={account.key_limit} plans={plans} />
          <PlansCard plans={plans} current={month.plan} onChanged={usage.again} />
          {month.overage_available && <OverageCard month={month} account={account} onChanged={usage.again} />}
        </>
      )}
      <Statements period={month?.period} />
    </>
  )
}

function PlanCard(props: { readonly month: MonthUsage; readonly keyLimit: number; readonly plans: Session['plans'] }) {
  const { month, keyLimit, plans } = props
  const priced = plans.filter((each) => each.overage_available).map(({ plan }) => toPlanName(plan))
  return (
    <section class="card" aria-labelledby="plan">
      <h2 id="plan">{toPlanName(month.plan)}</h2>
      <dl class="facts wide">
        <Fact name={texts().includedMonthly}>{texts().units(month.included_units)}</Fact>
        <Fact name={texts().activeKeys}>{texts().upTo(toUnits(keyLimit))}</Fact>
        <Fact name={texts().afterIncluded}>
          {month.overage_available
            ? texts().perUnitIfOn(toPrice(month.overage_unit_amount_decimal))
            : texts().refusedUntilReset(toLongDay(month.resets_at))}
        </Fact>
      </dl>
      {!month.overage_available && priced.length > 0 && <p class="aside">{texts().noCap(toList(priced))}</p>}
      {!canChoosePlan(plans, month.plan) && <p class="aside">{texts().contactToChangePlan}</p>}
    </section>
  )
}

/** The overage settings: on or off, and the spend cap. */
function OverageCard(props: { readonly month: MonthUsage; readonly account: Account; onChanged(): Promise<void> }) {
  const { account, month } = props
  const { renew } = useSession()
  const [isEnabled, setEnabled] = useState(account.overage_enabled)
  const [cap, setCap] = useState(toTypedAmount(account.spend_cap_cents))
  const [outcome, setOutcome] = useState<'saved' | 'unchanged' | undefined>(undefined)
  const form = useSubmission()
  const id = useId()
  const submit = async (event: Event) => {
    event.preventDefault()
    setOutcome(undefined)
    const spend_cap_cents = parseAmount(cap)
    if (spend_cap_cents === undefined) {
      return form.refuse(texts().capExample)
    }
    if (isEnabled && spend_cap_cents === 0) {
      return form.refuse(texts().capAboveZero)
    }
    if (isEnabled === account.overage_enabled && spend_cap_cents === account.spend_cap_cents) {
      return setOutcome('unchanged')
    }
    const isDone = await form.run(async () => {
      renew(await change<Account>('PATCH', '/v1/billing', { overage_enabled: isEnabled, spend_cap_cents }))
      await props.onChanged()
    })
    if (isDone) setOutcome('saved')
  }
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{texts().overage}</h2>
      <p>
        {texts().overageIs(toPrice(month.overage_unit_amount_decimal))}{' '}
        {texts().spentThisMonth(toAmount(month.spent_cents))}
      </p>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <label class="switch">
          <input type="checkbox" checked={isEnabled} onChange={(event) => setEnabled(event.currentTarget.checked)} />
          <span>{texts().keepServing}</span>
        </label>
        <Field
          label={`${texts().monthlyCap} (${currency.value})`}
          hint={texts().capHint}
          value={cap}
          onText={setCap}
          input={{ inputMode: 'decimal', autocomplete: 'off', required: true, class: 'short' }}
        />
        <RefusalNotice refusal={form.refusal} />
        {outcome === 'saved' && <Notice kind="good">{texts().saved}</Notice>}
        {outcome === 'unchanged' && <Notice kind="info">{texts().nothingToSave}</Notice>}
        <div class="row">
          <SubmitButton isBusy={form.isBusy}>{texts().save}</SubmitButton>
        </div>
      </form>
    </section>
  )
}
