// Prints the results of a benchmark immediately. If QUAI_BENCH_FIGURES names a file, also appends them to that file,
// from which `bun run bench` makes its table, its JSON and its plot.
import { appendFileSync } from 'node:fs'
import { digits } from './measure.ts'

/** A measured figure. */
export interface Figure {
  /** What was measured, and on which feed. */
  readonly name: string
  readonly value: number
  /** `ms`, `µs`, `MB`, `M/s` …; empty for a ratio. */
  readonly unit: string
  /** The maximum for the value, if there is one. */
  readonly atMost?: number
  /** The minimum for the value, if there is one. */
  readonly atLeast?: number
  /** The plotted curve to which the figure belongs, and the figure's horizontal position on it. */
  readonly curve?: { readonly name: string; readonly at: number; readonly atUnit: string }
}

/** Whether a figure is within its limits. True if it has no limits. */
export function isMet({
  value,
  atMost = Number.POSITIVE_INFINITY,
  atLeast = Number.NEGATIVE_INFINITY,
}: Figure): boolean {
  return value <= atMost && value >= atLeast
}

/** The limit of a figure as printed, such as `≤ 5`; empty if it has none. */
export function barOf({ atMost, atLeast }: Figure): string {
  if (atMost !== undefined) return `≤ ${digits(atMost)}`
  return atLeast === undefined ? '' : `≥ ${digits(atLeast)}`
}

/** Prints a figure and collects it. */
export function showFigure(figure: Figure): void {
  const { name, value, unit } = figure
  const bar = barOf(figure)
  console.log(
    `${name}: ${digits(value)}${unit === '' ? '' : ` ${unit}`}${bar === '' ? '' : `  (${bar}: ${isMet(figure) ? 'met' : 'MISSED'})`}`,
  )
  const file = process.env['QUAI_BENCH_FIGURES']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`)
}
