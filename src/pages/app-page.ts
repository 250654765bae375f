// The page of an app: it names the app's files, says what the app has to be told, and holds nothing else.
import { html } from './markup.ts'
import { type PageFile, packFile } from './page-files.ts'

/** What a page names and says. */
export interface AppPage {
  readonly title: string
  /** Of the element that the app fills. */
  readonly id: string
  /** Addresses of its files. */
  readonly files: { readonly script: string; readonly style: string; readonly mark: string }
  /** What the app is told, by name. */
  readonly told?: Readonly<Record<string, string>>
  /** What is said where scripts do not run. */
  readonly withoutScript: string
}

/** The page as a file. */
export function packAppPage(page: AppPage): PageFile {
  return packFile('', 'text/html; charset=utf-8', appPage(page))
}

/** The page's HTML. */
export function appPage({ title, id, files, told = {}, withoutScript }: AppPage): string {
  const metas = Object.entries(told).map(([name, text]) => html`<meta name="quai-${name}" content="${text}">\n`)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
${metas}<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${files.mark}">
<link rel="stylesheet" href="${files.style}">
<script type="module" src="${files.script}"></script>
</head>
<body>
<div id="${id}"></div>
<noscript>${withoutScript}</noscript>
</body>
</html>
`.text
}
