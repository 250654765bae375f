// The layout of text pages (errors and guides): one style, light and dark, without scripts or external resources.
import { createHash } from 'node:crypto'

const STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent); --ground: color-mix(in srgb, currentColor 7%, transparent) }
html { background: light-dark(#fff, #131316); color: light-dark(#1b1b1f, #e6e6ea) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
body.guide { max-width: 56rem }
.guide :is(p, li, dd) { max-width: 44rem }
a { color: light-dark(#0b57d0, #8ab4f8) }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: .75rem 0 }
header { border-bottom: 1px solid var(--line) }
footer { border-top: 1px solid var(--line); margin-top: 3rem }
nav a[aria-current] { color: inherit; font-weight: 600; text-decoration: none }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem; border-bottom: 1px solid var(--line) }
tr:target { background: color-mix(in srgb, gold 30%, transparent) }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere }
td code { white-space: nowrap }
td:last-child { min-width: 9rem }
.list td:last-child { min-width: 18rem }
pre { overflow-x: auto; padding: .75rem 1rem; background: var(--ground); border-radius: .375rem; border-left: 3px solid light-dark(#0b57d0, #8ab4f8) }
pre code { font-size: .85rem; overflow-wrap: normal }
pre.answer { border-left-color: transparent; margin-top: -.5rem; white-space: pre-wrap }
pre.answer code { overflow-wrap: anywhere }
dd { margin: 0 0 1rem }
dt { font-weight: 600 }
h2 { margin-top: 2.5rem }
:focus-visible { outline: 2px solid; outline-offset: 2px }
`

/** Allows only the inline style: no scripts and no requests. */
export const TEXT_POLICY =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; img-src data:; ` +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** Returns a page. @param body HTML @param kind `guide` is narrower, for long text */
export function textPage(title: string, body: string, kind: 'list' | 'guide'): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${toHtml(title)} · Quai API</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body class="${kind}">
${body}
</body>
</html>
`
}

/** Escapes a text for use in an element or an attribute. */
export function toHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** Makes a wide table scroll horizontally, also by keyboard. @param table HTML */
export function wideTable(table: string, label: string): string {
  return `<div class="wide" role="group" aria-label="${toHtml(label)}" tabindex="0">${table}</div>`
}
