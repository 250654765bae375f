// The explorer's one page, and what it may do.
import { appPage } from '../pages/app-page.ts'
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
  return appPage({
    title: 'Quai explorer',
    id: 'explorer',
    files: { script: `/${named.script}`, style: `/${named.style}`, mark: `/${named.mark}` },
    told: {
      api: apiUrl,
      console: consoleUrl,
      worker: `/${named.worker}`,
      outline: `/${named.outline}`,
      tiles: hasTiles ? TILES_PATH : '',
    },
    withoutScript: `The explorer needs JavaScript. The same data is at ${apiUrl}/docs.`,
  })
}

/** What the page may do: call the API, and work in a worker of its own. */
export function explorerRules({ apiUrl, explorerUrl }: ExplorerAddresses): PageRules {
  return {
    policy: [`connect-src 'self' ${new URL(apiUrl).origin}`, "worker-src 'self'", "form-action 'none'"],
    isSecure: explorerUrl.startsWith('https:'),
  }
}
