// Converts the titles and messages of alerts to plain text. Producers send HTML, doubly escaped HTML and plain text in
// the same field. Tags are removed, character references are decoded, and line breaks are kept. Every step takes linear
// time.
import { decodeEntities } from './html-entities.ts'

/** Maximum number of times to unescape a string. Markup that is still there afterward is removed. */
const MAX_UNWRAPPINGS = 2
const TAG_START = /<(\/?)([a-z][a-z0-9]{0,30}(?:[:-][a-z0-9]{1,30}){0,3})(?=[\s/>])/iy
/** Elements whose content is not shown, each with a pattern for its end tag. */
const UNREAD: ReadonlyMap<string, RegExp> = new Map([
  ['script', /<\/script(?=[\s/>])/gi],
  ['style', /<\/style(?=[\s/>])/gi],
  ['title', /<\/title(?=[\s/>])/gi],
])
/** Tags that end a line, with the minimum number of line breaks that they require. */
const LINE_ENDS: ReadonlyMap<string, number> = new Map([
  ...'p h1 h2 h3 h4 h5 h6 ul ol table blockquote pre hr'.split(' ').map((name) => [name, 2] as const),
  ...'div li tr dl dt dd section article header footer main aside nav caption thead tbody tfoot address figure form'
    .split(' ')
    .map((name) => [name, 1] as const),
])
const LINE_BREAK = 'br'
const CELLS: readonly string[] = ['td', 'th']
const CDATA_START = '<![CDATA['
const CDATA_END = ']]>'
const COMMENT_START = '<!--'
const COMMENT_END = '-->'
/** Matches the byte order mark, and all control characters (C0, DEL, C1) except tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is taken out.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff]/g
const LINE_ENDINGS = /\r\n?|[\u0085\u2028\u2029]/g
const BLANKS = /[^\S\n]{2,}|\t/g
const ELLIPSIS = '…'

/** Converts a string that may be HTML to plain text, with at most one empty line between paragraphs. */
export function toPlainText(html: string): string {
  let text = decodeEntities(stripTags(clean(html)))
  for (let round = 0; round < MAX_UNWRAPPINGS; round++) {
    const stripped = stripTags(clean(text))
    if (stripped === text) break
    text = decodeEntities(stripped)
  }
  return tidy(stripTags(clean(text)))
}

/** Converts HTML to plain text on a single line. */
export function toPlainLine(html: string): string {
  return toPlainText(html).replace(/\n+/g, ' ')
}

/** Cuts a string to `limit` UTF-16 code units. A string that was cut ends in `…`. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text
  const kept = text.slice(0, limit - ELLIPSIS.length)
  const isHalf = /[\ud800-\udbff]$/.test(kept)
  return (isHalf ? kept.slice(0, -1) : kept).trimEnd() + ELLIPSIS
}

function clean(text: string): string {
  const whole = text.toWellFormed().replace(LINE_ENDINGS, '\n').replace(CONTROLS, '')
  return whole.includes(CDATA_START) ? whole.replaceAll(CDATA_START, '').replaceAll(CDATA_END, '') : whole
}

function tidy(text: string): string {
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const trimmed = line.replace(BLANKS, ' ').trim()
    if (trimmed !== '' || (lines.length > 0 && lines.at(-1) !== '')) lines.push(trimmed)
  }
  if (lines.at(-1) === '') lines.pop()
  return lines.join('\n')
}

/** Removes the tags from a string. A `<` that does not start a tag stays. */
function stripTags(text: string): string {
  const lastEnd = text.lastIndexOf('>')
  const lastComment = text.lastIndexOf(COMMENT_END)
  const lines = new Lines()
  let heedsQuotes = true
  let from = 0
  let open = text.indexOf('<')
  while (open >= 0 && open < lastEnd) {
    const tag = readTagStart(text, open)
    if (tag === undefined) {
      open = text.indexOf('<', open + 1)
      continue
    }
    lines.add(text.slice(from, open))
    if (tag.kind === 'declaration') {
      const isComment = text.startsWith(COMMENT_START, open) && open + COMMENT_START.length <= lastComment
      from = isComment
        ? text.indexOf(COMMENT_END, open + COMMENT_START.length) + COMMENT_END.length
        : text.indexOf('>', open) + 1
    } else {
      let end = heedsQuotes ? endOfTag(text, tag.end) : -1
      if (end < 0) {
        // This tag has an opening quote without a closing quote. From here on, a tag ends at the next `>`, so that no
        // part is scanned twice.
        heedsQuotes = false
        end = text.indexOf('>', tag.end)
      }
      from = tag.isClosing ? end + 1 : skipUnread(text, tag.name, end + 1)
      lines.endAt(tag.name)
    }
    open = text.indexOf('<', from)
  }
  lines.add(text.slice(from))
  return lines.text()
}

type TagStart =
  | { readonly kind: 'declaration' }
  | { readonly kind: 'tag'; readonly name: string; readonly isClosing: boolean; readonly end: number }

function readTagStart(text: string, open: number): TagStart | undefined {
  const next = text[open + 1]
  if (next === '!' || next === '?') return { kind: 'declaration' }
  TAG_START.lastIndex = open
  const match = TAG_START.exec(text)
  if (match === null) return undefined
  return { kind: 'tag', name: (match[2] ?? '').toLowerCase(), isClosing: match[1] === '/', end: TAG_START.lastIndex }
}

/** Index of the `>` that ends a tag, outside quoted attributes; −1 if there is none. */
function endOfTag(text: string, from: number): number {
  let quote = ''
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === '>') return at
    else if ((character === '"' || character === "'") && text[at - 1] === '=') quote = character
  }
  return -1
}

/** The index at which reading continues after a tag. If the tag starts an UNREAD element, its content is skipped. */
function skipUnread(text: string, name: string, from: number): number {
  const closing = UNREAD.get(name)
  if (closing === undefined) return from
  closing.lastIndex = from
  const match = closing.exec(text)
  return match === null ? text.length : match.index
}

/** Joins pieces of text, and adds the line breaks that tags require. */
class Lines {
  private readonly pieces: string[] = []
  /**
   * Number of line breaks at the end of the text so far. It is 2 at the start of the text, so that no tag adds a line
   * break there.
   */
  private breaks = 2
  /**
   * Whether the last addition was a line break for a tag. If so, a line break that follows directly in the source is
   * not added.
   */
  private isBehindBreak = false

  add(piece: string): void {
    const added = this.isBehindBreak ? piece.replace(/^[ \t]*\n/, '') : piece
    if (added === '') return
    this.isBehindBreak = false
    this.pieces.push(added)
    const written = added.trimEnd()
    const breaks = added.slice(written.length).split('\n').length - 1
    this.breaks = written === '' ? this.breaks + breaks : breaks
  }

  endAt(tag: string): void {
    if (CELLS.includes(tag)) this.pieces.push(' ')
    const breaks = tag === LINE_BREAK ? this.breaks + 1 : LINE_ENDS.get(tag)
    if (breaks === undefined) return
    for (; this.breaks < breaks; this.breaks++) this.pieces.push('\n')
    this.isBehindBreak = true
  }

  text(): string {
    return this.pieces.join('')
  }
}
