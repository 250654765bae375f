// The report of `quai check` as text: the feed's contents and files, each broken rule with its effect on the import,
// and the verdict.
import type { ExplainedProblem, FeedCheck } from '../imports/check-feed.ts'
import { countText } from '../system/count-text.ts'
import { toTable } from './command-io.ts'
import { toPrintable } from './printable.ts'

/** Options of the report. */
export interface ReportLook {
  readonly hasColors: boolean
  /** Width of the report, in characters. */
  readonly columns: number
}

const MIN_COLUMNS = 60
const MAX_COLUMNS = 120
const BYTES_PER_MEGABYTE = 1_000_000

/** The counts in the report, in their order: each count's name in `FeedCheck`, and its label. */
const COUNTS = [
  ['lines', 'line'],
  ['stops', 'stop'],
  ['areas', 'area'],
  ['trips', 'trip'],
  ['stopTimes', 'stop time'],
  ['shapes', 'shape'],
] as const

/** Describes a feed's contents in two strings: the numbers of lines, stops and so on, and the days with service. */
export function describeContents(check: FeedCheck): [counts: string, span: string] {
  const span = check.firstDate === '' ? 'no service' : `service from ${check.firstDate} to ${check.lastDate}`
  const counts = COUNTS.map(([name, word]) => {
    const count = check.counts[name] ?? 0
    return countText(count, word, number(count))
  }).join(', ')
  return [counts, `${span}, ${toPrintable(check.timezone)}`]
}

/** The whole report, ending with a newline. */
export function renderCheck(check: FeedCheck, look: ReportLook): string {
  const page = new Page(look)
  page.line(`${page.bold(toPrintable(check.feed))}  ${sizeText(check.bytes)}`)
  if (check.canBeServed) {
    const [contents, span] = describeContents(check)
    page.paragraph(contents, '  ')
    page.line(`  ${span}`)
    renderFiles(page, check)
  }
  renderProblems(page, check.problems)
  page.line('')
  for (const warning of check.warnings) page.paragraph(`${page.yellow('warning')}: ${toPrintable(warning)}`, '  ')
  const verdict = toPrintable(spaceNumbers(check.verdict))
  page.paragraph(page.bold(check.canBeServed ? page.green(verdict) : page.red(verdict)), '')
  return page.text
}

function renderFiles(page: Page, { files, unreadFiles }: FeedCheck): void {
  const counts = Object.entries(files).map(([file, { rows, dropped }]) => {
    return [toPrintable(file), number(rows), dropped === 0 ? '' : number(dropped)] as const
  })
  const widthOf = (column: 1 | 2, header: string) => Math.max(header.length, ...counts.map((row) => row[column].length))
  const [rowsWidth, droppedWidth] = [widthOf(1, 'ROWS'), widthOf(2, 'LEFT OUT')]
  const table = toTable(
    ['FILE', 'ROWS'.padStart(rowsWidth), 'LEFT OUT'.padStart(droppedWidth)],
    counts.map(([file, rows, dropped]) => [file, rows.padStart(rowsWidth), dropped.padStart(droppedWidth)]),
  )
  page.line('')
  for (const line of table.trimEnd().split('\n')) page.line(`  ${line}`)
  if (unreadFiles.length > 0) page.paragraph(`not read: ${unreadFiles.map(toPrintable).join(', ')}`, '  ')
}

/** Writes the problems, grouped by the rule that they break. Rules are in the order of their first problems. */
function renderProblems(page: Page, problems: readonly ExplainedProblem[]): void {
  for (const [rule, broken] of Map.groupBy(problems, ({ rule }) => rule)) {
    const [{ severity, means }] = broken
    const color = severity === 'error' ? page.red(severity) : page.yellow(severity)
    page.line('')
    page.paragraph(`${color} ${page.bold(rule)}: ${means}`, '', '  ')
    for (const problem of broken) {
      page.paragraph(`${placeOf(problem)}  ${timesOf(problem)}${exampleOf(problem)}`, '  ', '    ')
      page.paragraph(`→ ${problem.effect}`, '    ', '      ')
    }
  }
}

function placeOf({ file, line }: ExplainedProblem): string {
  return toPrintable(line > 0 ? `${file}:${line}` : file)
}

function timesOf({ count }: ExplainedProblem): string {
  return count === 1 ? 'once' : `${number(count)} times`
}

function exampleOf({ field, example }: ExplainedProblem): string {
  const shown = toPrintable(example)
  if (field === '') return shown === '' ? '' : `, ${shown}`
  return shown === '' ? `, ${toPrintable(field)} is empty` : `, ${toPrintable(field)} “${shown}”`
}

function number(value: number): string {
  return value.toLocaleString('en-US').replaceAll(',', ' ')
}

/** Adds thousands separators to the numbers at the beginning of the verdict. */
function spaceNumbers(sentence: string): string {
  return sentence.replace(/^(can be served; )(\d+) of (\d+)/, (_, start: string, dropped: string, rows: string) => {
    return `${start}${number(Number(dropped))} of ${number(Number(rows))}`
  })
}

function sizeText(bytes: number): string {
  if (bytes === 0) return ''
  return bytes < BYTES_PER_MEGABYTE
    ? `${number(Math.ceil(bytes / 1000))} kB`
    : `${(bytes / BYTES_PER_MEGABYTE).toFixed(1)} MB`
}

/** Collects lines and wraps them at spaces to fit the width. */
class Page {
  text = ''
  private readonly hasColors: boolean
  private readonly columns: number

  constructor({ hasColors, columns }: ReportLook) {
    this.hasColors = hasColors
    this.columns = Math.min(Math.max(columns, MIN_COLUMNS), MAX_COLUMNS)
  }

  line(text: string): void {
    this.text += `${text.trimEnd()}\n`
  }

  /** Adds wrapped text. `first` is put before the first line, `rest` before all other lines. */
  paragraph(text: string, first: string, rest = first): void {
    let line = first
    let isEmpty = true
    for (const word of text.split(' ')) {
      if (!isEmpty && Bun.stringWidth(line) + 1 + Bun.stringWidth(word) > this.columns) {
        this.line(line)
        line = rest
        isEmpty = true
      }
      line += isEmpty ? word : ` ${word}`
      isEmpty = false
    }
    this.line(line)
  }

  bold(text: string): string {
    return this.styled('1', text)
  }

  red(text: string): string {
    return this.styled('31', text)
  }

  yellow(text: string): string {
    return this.styled('33', text)
  }

  green(text: string): string {
    return this.styled('32', text)
  }

  private styled(code: string, text: string): string {
    return this.hasColors ? `\x1b[${code}m${text}\x1b[0m` : text
  }
}
