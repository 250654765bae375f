// The shared parts of the operator's pages: the frame, status marks, ages, and tables that scroll on narrow screens.
import { html, type Markup, type Piece } from '../pages/markup.ts'
import { type SiteLink, sitePage } from '../pages/site-page.ts'
import { countText } from '../system/count-text.ts'

/** Path of the style sheet for the operator's pages. */
export const STYLE_PATH = '/operator.css'

/** The content of a page. */
export interface PageContent {
  readonly title: string
  /** The navigation entry to mark as current. */
  readonly room: '/' | '/explain'
  /** Path of the JSON version of the page. */
  readonly json: string
  readonly body: Piece
}

const LINKS: readonly SiteLink[] = [
  { path: '/', name: 'Overview' },
  { path: '/explain', name: 'Explain a board' },
  { path: '/metrics', name: 'Metrics' },
]
const STYLE = html`<link rel="stylesheet" href="${STYLE_PATH}">`

/** Renders a whole page. */
export function page({ title, room, json, body }: PageContent): string {
  const links = [...LINKS, { path: json, name: 'This page as JSON' }]
  const whole = html`<h1>${title}</h1>
${body}`
  return sitePage({ title, whose: 'operator', home: '/', links, here: room, style: STYLE, kind: 'wide', body: whole })
}

/** Severity of a state. */
export type Tone = 'good' | 'care' | 'bad' | 'plain'

/**
 * A word for a state, in the color of its severity. The word names the state for users who cannot tell the colors
 * apart.
 */
export function mark(tone: Tone, word: string): Markup {
  return html`<span class="state ${tone}">${word}</span>`
}

/**
 * A table with a caption. On narrow screens, it scrolls separately from the page. It can be focused with the keyboard.
 */
export function table(caption: string, heads: readonly string[], rows: readonly Piece[]): Markup {
  return tableOf('plain', { caption, heads, rows })
}

/**
 * Like `table`, but with cells that are stacked on narrow screens. `data-head` in each cell repeats the column heading.
 */
export function stackedTable(caption: string, heads: readonly string[], rows: readonly Piece[]): Markup {
  return tableOf('stacked', { caption, heads, rows })
}

function tableOf(
  kind: 'plain' | 'stacked',
  { caption, heads, rows }: { caption: string; heads: readonly string[]; rows: readonly Piece[] },
): Markup {
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table class="${kind}">
<caption>${caption}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table></div>`
}

/** A list of names and values. */
export function facts(pairs: readonly (readonly [name: string, value: Piece])[]): Markup {
  return html`<dl>${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

const STEPS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const

/** Formats an age, such as `4 s`, `12 min`, `3 h` or `5 d`. */
export function ageText(seconds: number): string {
  for (const [length, unit] of STEPS) if (seconds >= 2 * length) return `${Math.floor(seconds / length)} ${unit}`
  return `${seconds} s`
}

/** Formats an RFC 3339 timestamp as `2026-11-21 08:00:00 +01:00`, with `UTC` for `Z`. */
export function moment(timestamp: string): Markup {
  const [, date = timestamp, time = '', zone = ''] = /^(\S{10})T(\d\d:\d\d:\d\d)(\S+)$/.exec(timestamp) ?? []
  return html`<time datetime="${timestamp}">${date} ${time}<small> ${zone === 'Z' ? 'UTC' : zone}</small></time>`
}

/** Formats an RFC 3339 timestamp as `08:00:00`, with the full timestamp as a tooltip. */
export function clock(timestamp: string): Markup {
  return html`<time datetime="${timestamp}" title="${timestamp}">${timestamp.slice(11, 19)}</time>`
}

/** Formats a number as `1 234 567`. */
export function count(number: number): string {
  return number.toLocaleString('en-US').replaceAll(',', '\u202f')
}

/** Formats a number with a noun, as `1 request` or `2 requests`. */
export function countOf(number: number, noun: string): string {
  return countText(number, noun, count(number))
}

/** Formats a size in megabytes, as `12.3 MB`. */
export function size(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
