// The frame of the public pages on the API port, and their Content-Security-Policy. The policy allows one inline style
// and one inline script, which adds copy buttons, and nothing from other origins.
import { createHash } from 'node:crypto'
import { html, Markup, type Piece } from '../pages/markup.ts'
import { SITE_STYLE, type SiteLink, sitePage } from '../pages/site-page.ts'
import type { PageAddresses } from '../requests/service.ts'
import { COPY_SCRIPT, COPY_SOURCE } from './copy-buttons.ts'

/** Path of the page that lists the guides. */
export const GUIDES_PATH = '/docs/guides'

/**
 * The Content-Security-Policy of the pages. It allows the inline style and the script of the copy buttons, but no other
 * scripts and no requests.
 */
export const TEXT_POLICY =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(SITE_STYLE).digest('base64')}'; script-src ${COPY_SOURCE}; img-src data:; ` +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const SCRIPT = new Markup(`<script>${COPY_SCRIPT}</script>`)
const STYLE = new Markup(`<style>${SITE_STYLE}</style>`)

/** The contents of a public page. */
export interface DocsPage {
  readonly title: string
  /** The path that the navigation marks as current. */
  readonly here: string
  readonly kind: 'text' | 'wide'
  readonly body: Piece
  readonly foot?: Piece
}

/** Renders a public page. */
export function docsPage(page: DocsPage, pages: PageAddresses | undefined): string {
  return sitePage({ ...page, home: '/', links: publicLinks(pages), style: STYLE, end: SCRIPT })
}

/** Links to the public pages, and to the pages on other ports. */
export function publicLinks(pages: PageAddresses | undefined): readonly SiteLink[] {
  const others = (path: string | undefined, name: string) => (path === undefined ? [] : [{ path, name }])
  return [
    ...others(pages?.explorerUrl, 'Map'),
    { path: '/docs', name: 'Reference' },
    { path: GUIDES_PATH, name: 'Guides' },
    { path: '/docs/errors', name: 'Errors' },
    ...others(pages?.consoleUrl, 'Console'),
    { path: '/status', name: 'Status' },
  ]
}

/**
 * Links to other pages, for the end of a page.
 * @param here path of the current page
 */
export function footNavigation(label: string, links: readonly SiteLink[], here: string): Markup {
  const each = ({ path, name }: SiteLink) =>
    html`<a href="${path}"${path === here && html` aria-current="page"`}>${name}</a>\n`
  return html`<nav aria-label="${label}">${links.map(each)}</nav>`
}
