// Units by day: filters for the days and the key, a chart and a table.

import { useMemo } from 'preact/hooks'
import type { Key, UsageAnswer } from './contract.ts'
import { type DayTotal, SPAN_NAMES, toDayTotals } from './day-series.ts'
import { toDay, toUnits } from './formats.ts'
import { Waiting } from './parts.tsx'
import { useAnswer } from './requests.ts'
import { texts } from './texts/texts.ts'
import { UsageChart } from './usage-chart.tsx'
import { UsageCard, useUsageFilters } from './usage-filters.tsx'

/** The chart with its filters. `period` is the current month, YYYY-MM. */
export function UsageDays(props: { readonly keys: readonly Key[]; readonly period: string }) {
  const filters = useUsageFilters(props.period)
  const { span, keyId } = filters
  const usage = useAnswer<UsageAnswer>(`/v1/usage?from=${span.from}&to=${span.to}`)
  const answer = usage.value
  const days = useMemo(
    () => (answer === undefined ? undefined : toDayTotals(answer, answer.days, keyId)),
    [answer, keyId],
  )
  return (
    <UsageCard id="by-day" title={texts().byDay} spans={SPAN_NAMES} keys={props.keys} filters={filters}>
      {usage.problem !== undefined || days === undefined ? (
        <Waiting problem={usage.problem} again={usage.again} />
      ) : (
        <>
          <UsageChart days={days} />
          <DayTable days={days} />
        </>
      )}
    </UsageCard>
  )
}

/** The chart's numbers as a table, without the days that have no calls. */
function DayTable({ days }: { readonly days: readonly DayTotal[] }) {
  const used = days.filter((day) => day.units > 0 || day.calls > 0)
  if (used.length === 0) return null
  return (
    <details class="more">
      <summary>{texts().showAsTable}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access. */}
      <section class="scroll tall" tabIndex={0} aria-label={texts().unitsByDay}>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts().dayUtc}</th>
              <th scope="col" class="number">
                {texts().unitsHead}
              </th>
              <th scope="col" class="number">
                {texts().callsHead}
              </th>
            </tr>
          </thead>
          <tbody>
            {used.map((day) => (
              <tr key={day.date}>
                <th scope="row">{toDay(day.date)}</th>
                <td class="number">{toUnits(day.units)}</td>
                <td class="number">{toUnits(day.calls)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}
