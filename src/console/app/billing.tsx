// The billing screen: the plan, overage and the statements of closed months.
import { useId, useState } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import { change } from './account-client.ts'
import { useAnswer, useSubmission } from './asking.ts'
import type { Account, MonthUsage } from './contract.ts'
import { parseAmount, toAmount, toLongDay, toPlanName, toUnits } from './formats.ts'
import { Fact, Field, RefusalNotice, ScreenTitle, SubmitButton, Waiting } from './parts.tsx'
import { useLoggedIn, useSession } from './session.ts'
import { Statements } from './statements.tsx'

/** The billing screen. */
export function Billing() {
  const { account } = useLoggedIn()
  const usage = useAnswer<{ usage: MonthUsage }>('/v1/usage')
  const month = usage.value?.usage
  return (
    <>
      <ScreenTitle title="Billing" />
      {month === undefined ? (
        <Waiting problem={usage.problem} again={usage.again} />
      ) : (
        <>
          <PlanCard month={month} keyLimit={account.key_limit} />
          {month.overage_available && <OverageCard month={month} account={account} onChanged={usage.again} />}
        </>
      )}
      <Statements period={month?.period} />
    </>
  )
}

function PlanCard({ month, keyLimit }: { readonly month: MonthUsage; readonly keyLimit: number }) {
  return (
    <section class="card" aria-labelledby="plan">
      <h2 id="plan">{toPlanName(month.plan)}</h2>
      <dl class="facts wide">
        <Fact name="Included each month">{toUnits(month.included_units)} units</Fact>
        <Fact name="Active keys">up to {keyLimit}</Fact>
        <Fact name="After the included units">
          {month.overage_available
            ? `${month.overage_unit_amount_decimal} cents per unit, if overage is on`
            : `calls are refused until ${toLongDay(month.resets_at)}`}
        </Fact>
      </dl>
      <p class="aside">To change your plan, contact the operator of the service. A change takes effect immediately.</p>
    </section>
  )
}

/** The overage settings: on or off, and the spend cap. */
function OverageCard(props: { readonly month: MonthUsage; readonly account: Account; onChanged(): Promise<void> }) {
  const { account, month } = props
  const { renew } = useSession()
  const [isEnabled, setEnabled] = useState(account.overage_enabled)
  const [cap, setCap] = useState(toAmount(account.spend_cap_cents).replaceAll(',', ''))
  const [said, setSaid] = useState<'saved' | 'unchanged' | undefined>(undefined)
  const form = useSubmission()
  const id = useId()
  const submit = async (event: Event) => {
    event.preventDefault()
    setSaid(undefined)
    const spend_cap_cents = parseAmount(cap)
    if (spend_cap_cents === undefined) {
      return form.refuse('Enter a cap such as 20 or 20.50, at most 1000000.')
    }
    if (isEnabled && spend_cap_cents === 0) {
      return form.refuse(
        'Enter a spend cap above 0. With a cap of 0, calls stop when your included units run out, as without overage.',
      )
    }
    if (isEnabled === account.overage_enabled && spend_cap_cents === account.spend_cap_cents) {
      return setSaid('unchanged')
    }
    const isDone = await form.run(async () => {
      renew(await change<Account>('PATCH', '/v1/billing', { overage_enabled: isEnabled, spend_cap_cents }))
      await props.onChanged()
    })
    if (isDone) setSaid('saved')
  }
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>Overage</h2>
      <p>
        With overage on, calls after the included units cost {month.overage_unit_amount_decimal} cents per unit, up to
        the cap. Spent this month: {toAmount(month.spent_cents)}.
      </p>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <label class="switch">
          <input type="checkbox" checked={isEnabled} onChange={(event) => setEnabled(event.currentTarget.checked)} />
          <span>Keep serving calls after my included units run out</span>
        </label>
        <Field
          label="Monthly spend cap"
          hint="Calls that would exceed the cap are refused with status 429. You never pay more than this in a month."
          value={cap}
          onText={setCap}
          input={{ inputMode: 'decimal', autocomplete: 'off', required: true, class: 'short' }}
        />
        <RefusalNotice refusal={form.refusal} />
        {said === 'saved' && <Notice kind="good">Saved. The change applies from the next call.</Notice>}
        {said === 'unchanged' && <Notice kind="info">Nothing to save: these are your current settings.</Notice>}
        <div class="row">
          <SubmitButton isBusy={form.isBusy}>Save</SubmitButton>
        </div>
      </form>
    </section>
  )
}
