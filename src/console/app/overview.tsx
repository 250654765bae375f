// The first screen: this month's usage by day and key, or the first key's form if there is none yet.
import { useState } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import { useAnswer } from './asking.ts'
import type { Key, MadeKey, MonthUsage } from './contract.ts'
import { toAmount, toLongDay, toMonth, toUnits, untilDay } from './formats.ts'
import type { KeyList } from './keys.tsx'
import { NewKeyForm, ShownKey } from './new-key.tsx'
import { ScreenTitle, Waiting } from './parts.tsx'
import { useLoggedIn } from './session.ts'
import { UsageDays } from './usage-days.tsx'

/** The share of included units from which the bar warns. */
const NEARLY_USED = 0.8

/** The overview screen. */
export function Overview() {
  const usage = useAnswer<{ usage: MonthUsage }>('/v1/usage')
  const list = useAnswer<KeyList>('/v1/keys')
  const [made, setMade] = useState<MadeKey | undefined>(undefined)
  const again = async () => void (await Promise.all([usage.again(), list.again()]))
  if (usage.value === undefined || list.value === undefined) {
    return (
      <>
        <ScreenTitle title="Overview" />
        <Waiting problem={usage.problem ?? list.problem} again={again} />
      </>
    )
  }
  const { keys } = list.value
  const month = usage.value.usage
  if (made === undefined && keys.length === 0) return <FirstKey onMade={setMade} />
  if (made !== undefined) {
    // Reload the list before hiding the new key, so that the form for a first key does not show again.
    const onDone = () => void again().then(() => setMade(undefined))
    return (
      <>
        <ScreenTitle title="Your first key" />
        <ShownKey made={made} onDone={onDone} />
      </>
    )
  }
  return (
    <>
      <ScreenTitle title="Overview">
        <p class="lead">{toMonth(month.period)}, counted in UTC</p>
      </ScreenTitle>
      <MonthCard month={month} />
      <UsageDays keys={keys} period={month.period} />
      <KeyTable keys={keys} />
    </>
  )
}

function FirstKey(props: { onMade(made: MadeKey): void }) {
  const { account } = useLoggedIn()
  return (
    <>
      <ScreenTitle title="Make your first key">
        <p class="lead">Enter a name. The next screen shows the key and a first call to paste.</p>
      </ScreenTitle>
      <section class="card narrow" aria-label="New key">
        <NewKeyForm suggestedName="First key" onMade={props.onMade} />
      </section>
      <p class="aside">You are on the plan {account.plan.replaceAll('_', ' ')}.</p>
    </>
  )
}

/** Units used and left, the reset date and the cost of overage. */
function MonthCard({ month }: { readonly month: MonthUsage }) {
  const share = month.included_units === 0 ? 1 : month.units / month.included_units
  // With overage on, calls continue after the included units.
  const state = month.overage_enabled || share < NEARLY_USED ? 'well' : share >= 1 ? 'used-up' : 'nearly'
  return (
    <section class="card month" aria-label="This month">
      <div class="figures">
        <p class="figure">
          <strong>{toUnits(month.units)}</strong>
          <span>units used of {toUnits(month.included_units)} included</span>
        </p>
        <p class="figure second">
          <strong>{toUnits(month.remaining)}</strong>
          <span>left</span>
        </p>
        <p class="figure second">
          <strong>{toLongDay(month.resets_at)}</strong>
          <span>resets {untilDay(month.resets_at, Date.now())}</span>
        </p>
      </div>
      <Bar share={share} state={state} />
      {month.overage_enabled && <Overage month={month} />}
      {state !== 'well' && <Shortage month={month} />}
    </section>
  )
}

function Overage({ month }: { readonly month: MonthUsage }) {
  const share = month.spend_cap_cents === 0 ? 1 : month.spent_cents / month.spend_cap_cents
  return (
    <div class="overage">
      <p>
        <strong>{toAmount(month.spent_cents)}</strong> of {toAmount(month.spend_cap_cents)} spent on{' '}
        {toUnits(month.billable_units)} units of overage. <a href="#/billing">Change the cap</a>
      </p>
      <Bar share={share} state={share >= NEARLY_USED ? 'nearly' : 'well'} />
    </div>
  )
}

function Shortage({ month }: { readonly month: MonthUsage }) {
  const anew = toLongDay(month.resets_at)
  const isUsedUp = month.remaining === 0
  return (
    <Notice kind="warning">
      {isUsedUp
        ? `Calls are refused with status 429 until ${anew}.`
        : 'Calls are refused once the included units are used up.'}{' '}
      {month.overage_available ? (
        <a href="#/billing">Turn on overage</a>
      ) : (
        'For a larger plan, contact the operator of the service.'
      )}
    </Notice>
  )
}

/** A progress bar; the numbers beside it give the same value. */
function Bar(props: { readonly share: number; readonly state: 'well' | 'nearly' | 'used-up' }) {
  const percent = Math.min(100, Math.round(props.share * 1000) / 10)
  return (
    <div class={`bar ${props.state}`} aria-hidden="true">
      <div style={{ width: `${percent}%` }} />
    </div>
  )
}

/** Units by key, highest first. */
function KeyTable({ keys }: { readonly keys: readonly Key[] }) {
  const sorted = keys
    .filter((key) => key.state === 'active' || key.units_this_month > 0)
    .sort((left, right) => right.units_this_month - left.units_this_month)
  return (
    <section class="card" aria-labelledby="by-key">
      <div class="card-head">
        <h2 id="by-key">By key</h2>
        <a href="#/keys">Manage keys</a>
      </div>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col" class="number">
                Today
              </th>
              <th scope="col" class="number">
                This month
              </th>
            </tr>
          </thead>
          <tbody>
            {sorted.map((key) => (
              <tr key={key.id}>
                <th scope="row">
                  <span class="cut">{key.name}</span> <code>…{key.last_four}</code>
                </th>
                <td class="number">{toUnits(key.units_today)}</td>
                <td class="number">{toUnits(key.units_this_month)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
