// The API reference page: the header that all pages have and, below it, the viewer Scalar, with the colors and
// typefaces of the other pages.
import { html, Markup } from '../pages/markup.ts'
import { HEAD_STYLE, siteHeader } from '../pages/site-page.ts'
import type { PageAddresses } from '../requests/service.ts'
import { publicLinks } from './docs-page.ts'
import { pageResponse } from './page-endpoint.ts'
import theme from './reference.css' with { type: 'text' }

/**
 * The Content-Security-Policy of the page. Scalar's script sends requests only to its own origin, and adds inline
 * styles.
 */
const PAGE_POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/**
 * Starts Scalar. Scalar's own theme is off, because the page's style sets colors and typefaces. Scalar's own JavaScript
 * samples are off, because the API document has samples. The script also makes Scalar more accessible: it names buttons
 * that have no name, removes duplicate names of regions, and makes scrollable elements reachable by keyboard.
 */
export const START_SCRIPT = `Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  theme: 'none',
  withDefaultFonts: false,
  hideDarkModeToggle: true,
  forceDarkModeState: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
  telemetry: false,
  hideClientButton: true,
  hiddenClients: { js: true, node: true },
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideDownloadButton: false,
  persistAuth: false,
  defaultOpenAllTags: false,
  metaData: { title: 'Quai API' },
})
const mends = [
  ['.scalar-code-copy:not([aria-label])', { 'aria-label': 'Copy' }],
  ['.response-card[role="region"]', { role: 'group' }],
  ['.response-card-footer:not([tabindex]), .endpoints:not([tabindex])', { tabindex: '0' }],
  ['.show-more[aria-label]:not([aria-label=""])', { 'aria-label': '' }],
]
new MutationObserver(() => {
  for (const [selector, attributes] of mends) {
    for (const each of document.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) each.setAttribute(name, value)
    }
  }
}).observe(document.body, { childList: true, subtree: true })
`

const STYLE = new Markup(`<style>${HEAD_STYLE}${theme}</style>`)

/** Responds with the API reference page. */
export function referenceResponse(pages: PageAddresses | undefined): Response {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Quai API</title>
<link rel="icon" href="data:,">
${STYLE}
</head>
<body>
<section aria-label="Quai">${siteHeader({ home: '/', links: publicLinks(pages), here: '/docs' })}</section>
<div id="content" tabindex="-1"><div id="reference"></div></div>
<noscript>The reference needs JavaScript. Without it, read the OpenAPI document at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/scalar.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`
  return pageResponse(page.text, 'text/html; charset=utf-8', { 'Content-Security-Policy': PAGE_POLICY })
}
