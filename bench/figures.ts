// The results of a benchmark: printed immediately, and collected for the table, the JSON and the plot of `bun run bench` in
// the file named by QUAI_BENCH_FIGURES.
import { appendFileSync } from 'node:fs'
import { digits } from './measure.ts'

/** One measured figure. */
export interface Figure {
  /** Names the measured quantity and the feed. */
  readonly name: string
  readonly value: number
  /** `ms`, `µs`, `MB`, `M/s` …; empty for a ratio. */
  readonly unit: string
  /** The upper limit, if there is one. */
  readonly atMost?: number
  readonly atLeast?: number
  /** The curve that the figure belongs to, and its position on it. */
  readonly curve?: { readonly name: string; readonly at: number; readonly atUnit: string }
}

/** Whether a figure meets its limits; one without limits does. */
export function isMet({
  value,
  atMost = Number.POSITIVE_INFINITY,
  atLeast = Number.NEGATIVE_INFINITY,
}: Figure): boolean {
  return value <= atMost && value >= atLeast
}

/** A figure's limits in words; empty if it has none. */
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
