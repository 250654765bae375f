// The frame around pages that the service renders: logo, navigation and style. These pages work without scripts.
import { html, type Markup, type Piece } from './markup.ts'
import brand from './styles/brand.css' with { type: 'text' }
import site from './styles/site.css' with { type: 'text' }
import siteHead from './styles/site-head.css' with { type: 'text' }
import tokens from './styles/tokens.css' with { type: 'text' }

/** The CSS for the page header. It is enough for pages whose content has its own CSS. */
export const HEAD_STYLE = tokens + brand + siteHead
/** The CSS for all pages with this frame. */
export const SITE_STYLE = HEAD_STYLE + site

/** A link in the navigation. */
export interface SiteLink {
  readonly path: string
  readonly name: string
}

/** Contents of a page. */
export interface SiteContent {
  readonly title: string
  /** Text next to the logo: for whom the pages are made, such as `operator`. Absent for no text. */
  readonly whose?: string
  /** Target of the link on the logo. */
  readonly home: string
  readonly links: readonly SiteLink[]
  /** Path of the current page. */
  readonly here: string
  /** Style elements, or links to style sheets. */
  readonly style: Markup
  /** `text` limits the width, so that lines of text stay short enough to read; `wide` does not. */
  readonly kind: 'text' | 'wide'
  readonly body: Piece
  readonly foot?: Piece
  /** Script elements at the end of the page. */
  readonly end?: Markup
}

/** Renders a whole page. */
export function sitePage(content: SiteContent): string {
  const { title, whose, home, links, here, style, kind, body, foot, end } = content
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Quai${whose !== undefined && ` ${whose}`}</title>
<link rel="icon" href="data:,">
${style}
</head>
<body>
${siteHeader({ whose, home, links, here })}
<main id="content" tabindex="-1" class="${kind}">
${body}
</main>
${foot !== undefined && html`<footer class="site-foot">${foot}</footer>`}
${end}
</body>
</html>
`.text
}

/** The page header: a link to the page's content (the element with the id `content`), the logo and the navigation. */
export function siteHeader(of: Pick<SiteContent, 'whose' | 'home' | 'links' | 'here'>): Markup {
  const { whose, home, links, here } = of
  const link = ({ path, name }: SiteLink) =>
    html`<a href="${path}"${path === here && html` aria-current="page"`}>${name}</a>\n`
  return html`<a class="skip" href="#content">Skip to content</a>
<header class="site-head"><a class="brand" href="${home}">${MARK} Quai${whose !== undefined && html` <span>${whose}</span>`}</a>
<nav aria-label="Pages">${links.map(link)}</nav></header>`
}

/** The logo, as in the apps. */
const MARK = html`<svg viewBox="0 0 28 28" aria-hidden="true"><circle cx="12.5" cy="11.5" r="8" fill="none" stroke="currentColor" stroke-width="4"/><path class="mark-edge" d="M12.5 24H26" stroke-width="4" stroke-linecap="round"/></svg>`

/** Severity of a state. */
export type Tone = 'good' | 'care' | 'bad' | 'plain'

/**
 * A word for a state, in the color of its severity. The word names the state for users who cannot tell the colors
 * apart.
 */
export function stateMark(tone: Tone, word: string): Markup {
  return html`<span class="state ${tone}">${word}</span>`
}

/** Makes a wide table scroll horizontally, including with the keyboard. */
export function wideTable(table: Markup, label: string): Markup {
  return html`<div class="wide" role="region" aria-label="${label}" tabindex="0">${table}</div>`
}
