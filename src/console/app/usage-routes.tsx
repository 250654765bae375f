// Responses by route: how many calls to each route succeeded, were refused or failed.

import { useMemo } from 'preact/hooks'
import type { Key, RouteUsage } from './contract.ts'
import { toUnits } from './formats.ts'
import { Waiting } from './parts.tsx'
import { useAnswer } from './requests.ts'
import { ANSWER_CLASSES, type AnswerClass, type RouteTotal, toRouteTotals } from './route-totals.ts'
import { texts } from './texts/texts.ts'
import { UsageCard, useUsageFilters } from './usage-filters.tsx'

/** The classes of errors, in the order of the table's columns. */
const ERRORS = ['refused', 'over_limit', 'failed'] as const
/** The spans of days that a user can choose. None is longer than the 92 days for which the service keeps these counts. */
const SPANS = ['month', 'last-month', 'last-30', 'last-90'] as const

/** The table with its filters. `period` is the current month, YYYY-MM. */
export function UsageRoutes(props: { readonly keys: readonly Key[]; readonly period: string }) {
  const filters = useUsageFilters(props.period)
  const { span, keyId } = filters
  const usage = useAnswer<RouteUsage>(`/v1/usage/routes?from=${span.from}&to=${span.to}`)
  const totals = useMemo(() => usage.value && toRouteTotals(usage.value.routes, keyId), [usage.value, keyId])
  return (
    <UsageCard id="by-route" title={texts().byRoute} spans={SPANS} keys={props.keys} filters={filters}>
      {usage.problem !== undefined || totals === undefined ? (
        <Waiting problem={usage.problem} again={usage.again} />
      ) : totals.length === 0 ? (
        <p class="aside">{texts().noCalls}</p>
      ) : (
        <RouteTable totals={totals} />
      )}
    </UsageCard>
  )
}

function RouteTable({ totals }: { readonly totals: readonly RouteTotal[] }) {
  const most = totals[0]?.calls ?? 0
  return (
    <>
      <table class="routes">
        <thead>
          <tr>
            <th scope="col">{texts().route}</th>
            <th scope="col" class="number">
              {texts().callsHead}
            </th>
            {ERRORS.map((name) => (
              <th key={name} scope="col" class="number">
                {texts().answerClasses[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {totals.map((total) => (
            <tr key={total.route}>
              <th scope="row">
                <code>{total.route === 'other' ? texts().unknownPaths : total.route}</code>
                <Shares total={total} most={most} />
              </th>
              <td class="number" data-head={texts().callsHead}>
                {toUnits(total.calls)}
              </td>
              {ERRORS.map((name) => (
                <ErrorCell key={name} name={name} total={total} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="aside">{texts().byRouteHint}</p>
    </>
  )
}

function ErrorCell({ name, total }: { readonly name: AnswerClass; readonly total: RouteTotal }) {
  const count = total[name]
  return (
    <td class={`number ${count === 0 ? 'none' : ''}`} data-head={texts().answerClasses[name]}>
      {count === 0 ? '–' : toUnits(count)}
    </td>
  )
}

/**
 * A bar whose length shows the number of calls to the route, divided into the classes of responses. The numbers next to
 * the bar give the same values.
 */
function Shares({ total, most }: { readonly total: RouteTotal; readonly most: number }) {
  return (
    <div class="shares" style={{ width: `${(total.calls / most) * 100}%` }} aria-hidden="true">
      {ANSWER_CLASSES.filter((name) => total[name] > 0).map((name) => (
        <div key={name} class={`share of-${name}`} style={{ flexGrow: total[name] }} />
      ))}
    </div>
  )
}
