// The first screen: this month's usage by day and key, or the form for the first key if the account has none.

import { useState } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import type { Key, MadeKey, MonthUsage } from './contract.ts'
import { toAmount, toLongDay, toMonth, toPlanName, toUnits, untilDay } from './formats.ts'
import type { KeyList } from './keys.tsx'
import { NewKeyForm, ShownKey } from './new-key.tsx'
import { ScreenTitle, Waiting } from './parts.tsx'
import { useAnswer } from './requests.ts'
import { useLoggedIn } from './session.ts'
import { texts } from './texts/texts.ts'
import { UsageDays } from './usage-days.tsx'
import { UsageRoutes } from './usage-routes.tsx'

/** If at least this share of the included units or of the spend cap is used, the bar has the color of a warning. */
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
        <ScreenTitle title={texts().overview} />
        <Waiting problem={usage.problem ?? list.problem} again={again} />
      </>
    )
  }
  const { keys } = list.value
  const month = usage.value.usage
  if (made === undefined && keys.length === 0) return <FirstKey onMade={setMade} />
  if (made !== undefined) {
    // Reload the list of keys before hiding the new key, so that the form for a first key is not shown again.
    const onDone = () => void again().then(() => setMade(undefined))
    return (
      <>
        <ScreenTitle title={texts().yourFirstKey} />
        <ShownKey made={made} onDone={onDone} />
      </>
    )
  }
  return (
    <>
      <ScreenTitle title={texts().overview}>
        <p class="lead">{texts().countedInUtc(toMonth(month.period))}</p>
      </ScreenTitle>
      <MonthCard month={month} />
      <UsageDays keys={keys} period={month.period} />
      <UsageRoutes keys={keys} period={month.period} />
      <KeyTable keys={keys} />
    </>
  )
}

function FirstKey(props: { onMade(made: MadeKey): void }) {
  const { account } = useLoggedIn()
  return (
    <>
      <ScreenTitle title={texts().makeFirstKey}>
        <p class="lead">{texts().makeFirstKeyHint}</p>
      </ScreenTitle>
      <section class="card narrow" aria-label={texts().newKey}>
        <NewKeyForm suggestedName={texts().firstKey} onMade={props.onMade} />
      </section>
      <p class="aside">{texts().onPlan(toPlanName(account.plan))}</p>
    </>
  )
}

/** Units used and left, the day on which usage resets, and the cost of overage. */
function MonthCard({ month }: { readonly month: MonthUsage }) {
  const share = month.included_units === 0 ? 1 : month.units / month.included_units
  // With overage, the included units are not a limit, so their bar never warns.
  const state = month.overage_enabled || share < NEARLY_USED ? 'well' : share >= 1 ? 'used-up' : 'nearly'
  return (
    <section class="card month" aria-label={texts().thisMonth}>
      <div class="figures">
        <p class="figure">
          <strong>{toUnits(month.units)}</strong>
          <span>{texts().usedOf(toUnits(month.included_units))}</span>
        </p>
        <p class="figure second">
          <strong>{toUnits(month.remaining)}</strong>
          <span>{texts().left}</span>
        </p>
        <p class="figure second">
          <strong>{toLongDay(month.resets_at)}</strong>
          <span>{texts().resets(untilDay(month.resets_at, Date.now()))}</span>
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
        {texts().spentOn(
          toAmount(month.spent_cents),
          toAmount(month.spend_cap_cents),
          texts().units(month.billable_units),
        )}{' '}
        <a href="#/billing">{texts().changeCap}</a>
      </p>
      <Bar share={share} state={share >= NEARLY_USED ? 'nearly' : 'well'} />
    </div>
  )
}

function Shortage({ month }: { readonly month: MonthUsage }) {
  const anew = toLongDay(month.resets_at)
  const isUsedUp = month.remaining === 0
  const { plans } = useLoggedIn()
  const hasLarger = plans.some((plan) => plan.self_service && plan.included_units > month.included_units)
  return (
    <Notice kind="warning">
      {isUsedUp ? texts().refusedUntil(anew) : texts().refusedOnceUsed}{' '}
      {month.overage_available || hasLarger ? (
        <a href="#/billing">{month.overage_available ? texts().turnOnOverage : texts().largerPlan}</a>
      ) : (
        texts().contactForLargerPlan
      )}
    </Notice>
  )
}

/** A progress bar. The text next to it gives the same value. */
function Bar(props: { readonly share: number; readonly state: 'well' | 'nearly' | 'used-up' }) {
  const percent = Math.min(100, Math.round(props.share * 1000) / 10)
  return (
    <div class={`bar ${props.state}`} aria-hidden="true">
      {props.share > 0 && <div style={{ width: `${percent}%` }} />}
    </div>
  )
}

/** This month's units by key. The key with the most units is first. */
function KeyTable({ keys }: { readonly keys: readonly Key[] }) {
  const sorted = keys
    .filter((key) => key.state === 'active' || key.units_this_month > 0)
    .sort((left, right) => right.units_this_month - left.units_this_month)
  return (
    <section class="card" aria-labelledby="by-key">
      <div class="card-head">
        <h2 id="by-key">{texts().byKey}</h2>
        <a href="#/keys">{texts().manageKeys}</a>
      </div>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">{texts().key}</th>
              <th scope="col" class="number">
                {texts().today}
              </th>
              <th scope="col" class="number">
                {texts().thisMonth}
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
