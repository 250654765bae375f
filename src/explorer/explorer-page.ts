// The explorer's one page, and what it may do.
import type { PageRules } from '../pages/page-headers.ts'
import type { ExplorerFiles } from './explorer-files.ts'

/** What the page is told of the service it shows. */
export interface ExplorerAddresses {
  /** Of the API, without /v1 and without a slash at its end. */
  readonly apiUrl: string
  /** Where keys are made. */
  readonly consoleUrl: string
  /** Of the explorer itself. */
  readonly explorerUrl: string
  /** Whether the operator gives a map to draw under the network. */
  readonly hasTiles: boolean
}

/** Where the operator's tiles are. */
export const TILES_PATH = '/tiles.pmtiles'

/** The page's HTML. */
export function explorerPage({ apiUrl, consoleUrl, hasTiles }: ExplorerAddresses, { named }: ExplorerFiles): string {
  const told = {
    api: apiUrl,
    console: consoleUrl,
    worker: `/${named.worker}`,
    outline: `/${named.outline}`,
    tiles: hasTiles ? TILES_PATH : '',
  }
  const metas = Object.entries(told).map(([name, text]) => `<meta name="quai-${name}" content="${toAttribute(text)}">`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
${metas.join('\n')}
<title>Quai explorer</title>
<link rel="icon" type="image/svg+xml" href="/${named.mark}">
<link rel="stylesheet" href="/${named.style}">
<script type="module" src="/${named.script}"></script>
</head>
<body>
<div id="explorer"></div>
<noscript>The explorer needs JavaScript. The same data is at ${toAttribute(apiUrl)}/docs.</noscript>
</body>
</html>
`
}

/** What the page may do: call the API, and work in a worker of its own. */
export function explorerRules({ apiUrl, explorerUrl }: ExplorerAddresses): PageRules {
  return {
    policy: [`connect-src 'self' ${new URL(apiUrl).origin}`, "worker-src 'self'", "form-action 'none'"],
    isSecure: explorerUrl.startsWith('https:'),
  }
}

function toAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
