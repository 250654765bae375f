// The HTML page of an app: links to its files, and metadata for its script.
import { html } from './markup.ts'
import { type PageFile, packFile } from './page-files.ts'

/** Contents of an app's page. */
export interface AppPage {
  readonly title: string
  /** Id of the element in which the app is rendered. */
  readonly id: string
  /** Addresses of the app's files; `mark` is the logo. */
  readonly files: { readonly script: string; readonly style: string; readonly mark: string }
  /** Modules that the script imports. The page requests them together with the script. */
  readonly modules?: readonly string[]
  /**
   * Origins to which the browser connects early, because the script's first requests go there. The connections are for
   * requests without credentials.
   */
  readonly origins?: readonly string[]
  /** Contents of the meta elements `quai-<name>`, by name. */
  readonly metadata?: Readonly<Record<string, string>>
  /** Shown if scripts do not run. */
  readonly withoutScript: string
}

/** Returns the page as a compressed file. */
export function packAppPage(page: AppPage): PageFile {
  return packFile('', 'text/html; charset=utf-8', appPage(page))
}

/** Returns the page's HTML. */
export function appPage(page: AppPage): string {
  const { title, id, files, metadata = {}, modules = [], origins = [], withoutScript } = page
  const metas = Object.entries(metadata).map(([name, text]) => html`<meta name="quai-${name}" content="${text}">\n`)
  const connections = origins.map((origin) => html`<link rel="preconnect" href="${origin}" crossorigin>\n`)
  const imports = modules.map((path) => html`<link rel="modulepreload" href="${path}">\n`)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
${metas}<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${files.mark}">
${connections}<link rel="stylesheet" href="${files.style}">
${imports}<script type="module" src="${files.script}"></script>
</head>
<body>
<div id="${id}"></div>
<noscript>${withoutScript}</noscript>
</body>
</html>
`.text
}
