// The report on a benchmark run: a table of the figures with their limits, and a plot.
import { cpus, release, totalmem } from 'node:os'
import { barOf, type Figure, isMet } from './figures.ts'
import { digits } from './measure.ts'

/** The machine, commit and time of a run. */
export interface Machine {
  readonly commit: string
  readonly at: string
  readonly processor: string
  readonly cores: string
  readonly memory: string
  readonly system: string
  readonly bun: string
}

/** Describes this machine, this commit and the current time. */
export function describeMachine(): Machine {
  const described = Bun.spawnSync(['git', 'describe', '--always', '--dirty'], { cwd: import.meta.dir })
  return {
    commit: described.success ? described.stdout.toString().trim() : 'no commit',
    at: new Date().toISOString().slice(0, 19),
    processor: cpus()[0]?.model ?? 'unknown processor',
    cores: `${cpus().length} cores`,
    memory: `${(totalmem() / 1e9).toFixed(0)} GB`,
    system: `${process.platform} ${release()}`,
    bun: `Bun ${Bun.version}`,
  }
}

/** One row of text per figure: its value, its unit, its limit, and whether the limit is met. */
export function tableOf(figures: readonly Figure[]): string {
  const width = Math.max(...figures.map(({ name }) => name.length), 0)
  return figures
    .map((figure) => {
      const bar = barOf(figure)
      const verdict = bar === '' ? '' : `${bar.padEnd(9)}${isMet(figure) ? 'met' : 'MISSED'}`
      return `${figure.name.padEnd(width)}  ${digits(figure.value).padStart(9)} ${figure.unit.padEnd(7)}${verdict}`.trimEnd()
    })
    .join('\n')
}

const WIDTH = 1080
const ROW = 22
const LABEL_WIDTH = 620
const CURVE_HEIGHT = 190
const COLORS = { met: '#0b6b5d', missed: '#c0392b', line: '#0b6b5d', ink: '#1b1f1e', quiet: '#7b8582' }

/** An SVG plot: first each figure with a limit, as a share of its limit; then each curve, on logarithmic axes. */
export function plotOf(machine: Machine, figures: readonly Figure[]): string {
  const barred = figures.filter((figure) => barOf(figure) !== '')
  const curves = Map.groupBy(
    figures.filter(({ curve }) => curve !== undefined),
    ({ curve }) => curve?.name ?? '',
  )
  const parts = [
    text(20, 30, 'Figures and their targets', 'size'),
    text(20, 52, Object.values(machine).join(', '), 'quiet'),
  ]
  let top = 80
  for (const figure of barred) {
    parts.push(barRow(figure, top))
    top += ROW
  }
  top += 30
  for (const [name, points] of curves) {
    if (points.length < 2) continue
    parts.push(curveOf(name, points, top))
    top += CURVE_HEIGHT + 50
  }
  const style = `text{font:13px system-ui,sans-serif;fill:${COLORS.ink}}.quiet{fill:${COLORS.quiet}}.size{font-size:18px;font-weight:600}`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${top + 20}" viewBox="0 0 ${WIDTH} ${top + 20}">
<style>${style}</style><rect width="100%" height="100%" fill="#fff"/>
${parts.join('\n')}
</svg>
`
}

/** A row with a bar that shows how close a figure is to its limit. The limit is a vertical line. */
function barRow(figure: Figure, top: number): string {
  const { value, atMost, atLeast } = figure
  const share = atMost === undefined ? value / (atLeast ?? value) : value / (atMost || 1)
  const room = WIDTH - LABEL_WIDTH - 140
  const length = Math.max(1, Math.min(1.25, share) * room * 0.8)
  const color = isMet(figure) ? COLORS.met : COLORS.missed
  const bar = LABEL_WIDTH + room * 0.8
  return [
    text(20, top + 12, figure.name),
    `<rect x="${LABEL_WIDTH}" y="${top}" width="${length.toFixed(1)}" height="14" rx="2" fill="${color}"/>`,
    `<line x1="${bar}" x2="${bar}" y1="${top - 3}" y2="${top + 17}" stroke="${COLORS.ink}"/>`,
    text(WIDTH - 130, top + 12, `${digits(value)} ${figure.unit} (${barOf(figure)})`),
  ].join('')
}

function curveOf(name: string, points: readonly Figure[], top: number): string {
  const at = (figure: Figure) => Math.log10(Math.max(figure.curve?.at ?? 1, 1e-3))
  const of = (figure: Figure) => Math.log10(Math.max(figure.value, 1e-3))
  const spread = (read: (figure: Figure) => number) => {
    const values = points.map(read)
    const [min, max] = [Math.min(...values), Math.max(...values)]
    return { min, size: max - min || 1 }
  }
  const [across, up] = [spread(at), spread(of)]
  const x = (figure: Figure) => 60 + ((at(figure) - across.min) / across.size) * (WIDTH - 220)
  const y = (figure: Figure) => top + CURVE_HEIGHT - 20 - ((of(figure) - up.min) / up.size) * (CURVE_HEIGHT - 60)
  const line = points.map((figure) => `${x(figure).toFixed(1)},${y(figure).toFixed(1)}`).join(' ')
  const labels = points.map((figure) => {
    const place = `${digits(figure.curve?.at ?? 0)} ${figure.curve?.atUnit ?? ''}`
    const dot = `<circle cx="${x(figure).toFixed(1)}" cy="${y(figure).toFixed(1)}" r="3" fill="${COLORS.line}"/>`
    const value = text(x(figure) + 6, y(figure) - 6, `${digits(figure.value)} ${figure.unit}`)
    // If there are many points, only the first and the last have a label.
    const isNamed = points.length <= 6 || figure === points[0] || figure === points.at(-1)
    return isNamed ? dot + value + text(x(figure) - 10, top + CURVE_HEIGHT + 4, place, 'quiet') : dot
  })
  return `${text(20, top, name, 'size')}<polyline points="${line}" fill="none" stroke="${COLORS.line}" stroke-width="2"/>${labels.join('')}`
}

function text(x: number, y: number, words: string, kind = ''): string {
  const safe = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${x.toFixed(0)}" y="${y.toFixed(0)}"${kind === '' ? '' : ` class="${kind}"`}>${safe}</text>`
}
