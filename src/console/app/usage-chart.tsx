// Bar chart of units by day, drawn by uPlot. For screen readers, a table shows the same numbers.

import { useEffect, useRef, useState } from 'preact/hooks'
import UPlot from 'uplot'
import type { DayTotal } from './day-series.ts'
import { toDay, toShortUnits } from './formats.ts'
import { texts } from './texts/texts.ts'

const HEIGHT_PIXELS = 220
/** Width of a day's label below the chart. */
const LABEL_PIXELS = 64
const DARK = '(prefers-color-scheme: dark)'
/** The scale of the chart ends at this number of units or higher, so that even a chart without calls has an axis. */
const LEAST_TOP_UNITS = 10
const WHOLE_STEPS = [1, 2, 5]
  .flatMap((step) => Array.from({ length: 12 }, (_, power) => step * 10 ** power))
  .sort((a, b) => a - b)

/** The chart. The numbers of the day under the pointer are shown above the chart. */
export function UsageChart({ days }: { readonly days: readonly DayTotal[] }) {
  const frame = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<number | null>(null)
  // Colors come from the styles of the color scheme, so the chart is redrawn when the scheme changes.
  const isDark = useDarkness()
  useEffect(() => {
    const parent = frame.current
    if (parent === null) return
    const chart = new UPlot(chartOptions(days, { parent, onPoint: setPointed }), chartData(days), parent)
    const follow = new ResizeObserver(() => chart.setSize({ width: parent.clientWidth, height: HEIGHT_PIXELS }))
    follow.observe(parent)
    return () => {
      follow.disconnect()
      chart.destroy()
    }
  }, [days, isDark])
  const day = pointed === null ? undefined : days[pointed]
  const total = days.reduce((sum, each) => sum + each.units, 0)
  return (
    <div class="chart">
      <p class="readout" aria-hidden="true">
        {day === undefined
          ? texts().unitsInTotal(texts().units(total))
          : texts().unitsOn(texts().units(day.units), toDay(day.date), texts().calls(day.calls))}
      </p>
      <div class="plot" ref={frame} aria-hidden="true" />
      {total === 0 && <p class="plot-empty">{texts().noCalls}</p>}
    </div>
  )
}

function chartData(days: readonly DayTotal[]): UPlot.AlignedData {
  return [days.map((_, index) => index), days.map((day) => day.units)]
}

function chartOptions(
  days: readonly DayTotal[],
  on: { readonly parent: HTMLElement; onPoint(index: number | null): void },
): UPlot.Options {
  const style = getComputedStyle(on.parent)
  const color = (name: string) => style.getPropertyValue(name).trim()
  const font = `12px ${style.fontFamily}`
  const text = { stroke: color('--muted'), font, ticks: { show: false } }
  return {
    width: on.parent.clientWidth,
    height: HEIGHT_PIXELS,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { x: false, y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: false, range: () => [-0.6, days.length - 0.4] },
      y: { range: (_, __, max) => [0, Math.max(LEAST_TOP_UNITS, max * 1.08)] },
    },
    axes: [
      {
        ...text,
        size: 28,
        grid: { show: false },
        splits: (chart) => labelledDays(days.length, chart.width),
        values: (_, splits) => splits.map((index) => toDay(days[index]?.date ?? '')),
      },
      {
        ...text,
        size: 48,
        incrs: WHOLE_STEPS,
        grid: { stroke: color('--line'), width: 1 },
        values: (_, splits) => splits.map(toShortUnits),
      },
    ],
    series: [
      {},
      {
        fill: color('--data'),
        width: 0,
        points: { show: false },
        paths: UPlot.paths.bars?.({ size: [0.72, 36], radius: 0.2 }),
      },
    ],
    hooks: { setCursor: [(chart) => on.onPoint(chart.cursor.idx ?? null)] },
  }
}

/** Indexes of the days that get a label: the first day, then every n-th day, as many as fit the width. */
function labelledDays(count: number, widthPixels: number): number[] {
  const most = Math.max(2, Math.floor(widthPixels / LABEL_PIXELS))
  const step = Math.max(1, Math.ceil(count / most))
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step)
}

/** Whether the color scheme is dark. A component that calls this rerenders when the scheme changes. */
function useDarkness(): boolean {
  const [isDark, setDark] = useState(() => matchMedia(DARK).matches)
  useEffect(() => {
    const scheme = matchMedia(DARK)
    const follow = () => setDark(scheme.matches)
    scheme.addEventListener('change', follow)
    return () => scheme.removeEventListener('change', follow)
  }, [])
  return isDark
}
