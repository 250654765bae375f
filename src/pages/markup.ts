// Pages put together as texts in which nothing of a feed can be anything but text: whatever is set into a page is escaped,
// unless it is a piece of a page already.

/** A piece of a page. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What may be set into a page; lists are set one behind the other, what is not there leaves nothing. */
export type Piece = string | number | Markup | undefined | false | readonly Piece[]

/** A piece of a page, of a template whose own text is markup and whose values are not. */
export function html(template: TemplateStringsArray, ...values: readonly Piece[]): Markup {
  let text = template[0] ?? ''
  for (const [at, value] of values.entries()) text += textOf(value) + (template[at + 1] ?? '')
  return new Markup(text)
}

function textOf(piece: Piece): string {
  if (piece === undefined || piece === false) return ''
  if (piece instanceof Markup) return piece.text
  return typeof piece === 'string' || typeof piece === 'number' ? escapeText(`${piece}`) : piece.map(textOf).join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
/** Control characters, and marks that turn the text behind them around. */
const UNSEEN = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** A text inside markup, or inside an attribute. */
function escapeText(text: string): string {
  return text.replace(UNSEEN, '\ufffd').replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)
}
