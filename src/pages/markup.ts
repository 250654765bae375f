// HTML templates. Every value is escaped unless it is already `Markup`, so strings from feeds can never become markup.

/** Safe HTML. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A value in a template. Lists are concatenated, and undefined and false are rendered as nothing. */
export type Piece = string | number | Markup | undefined | false | readonly Piece[]

/** Template tag that returns HTML. The template's own text is used as markup, and the values are escaped. */
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
/**
 * Control characters (except tabs and line feeds), line and paragraph separators, and characters that change the text
 * direction.
 */
const UNSEEN = /[^\P{Cc}\t\n]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Escapes a string for use in an element or an attribute. */
function escapeText(text: string): string {
  return text.replace(UNSEEN, '\ufffd').replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)
}
