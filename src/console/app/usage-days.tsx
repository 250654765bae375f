// Units by day: choice of days and key, a chart and a table.

import { useMemo, useState } from 'preact/hooks'
import { useAnswer } from './asking.ts'
import type { Key, UsageAnswer } from './contract.ts'
import { type DayTotal, isSpanName, type SpanName, toDayTotals, toSpan } from './day-series.ts'
import { toDay, toUnits } from './formats.ts'
import { Choice, Waiting } from './parts.tsx'
import { texts } from './texts/texts.ts'
import { UsageChart } from './usage-chart.tsx'

/** The chart with its filters. `period` is the current month, YYYY-MM. */
export function UsageDays(props: { readonly keys: readonly Key[]; readonly period: string }) {
  const [spanName, setSpanName] = useState<SpanName>('month')
  const [keyId, setKeyId] = useState('')
  const span = useMemo(() => toSpan(spanName, props.period, Date.now()), [spanName, props.period])
  const usage = useAnswer<UsageAnswer>(`/v1/usage?from=${span.from}&to=${span.to}`)
  const answer = usage.value
  const days = useMemo(
    () => (answer === undefined ? undefined : toDayTotals(answer, answer.days, keyId)),
    [answer, keyId],
  )
  return (
    <section class="card" aria-labelledby="by-day">
      <div class="card-head">
        <h2 id="by-day">{texts().byDay}</h2>
        <div class="choices">
          <Choice
            label={texts().days}
            value={spanName}
            options={Object.entries(texts().spans)}
            onValue={(value) => isSpanName(value) && setSpanName(value)}
          />
          <Choice
            label={texts().key}
            value={keyId}
            options={[['', texts().allKeys], ...props.keys.map((key): [string, string] => [key.id, key.name])]}
            onValue={setKeyId}
          />
        </div>
      </div>
      {usage.problem !== undefined || days === undefined ? (
        <Waiting problem={usage.problem} again={usage.again} />
      ) : (
        <>
          <UsageChart days={days} />
          <DayTable days={days} />
        </>
      )}
    </section>
  )
}

/** The chart's numbers, without the days that have no calls. */
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
