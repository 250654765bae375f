// The explorer's page and its security policy.
import { appPage } from '../pages/app-page.ts'
import type { PageRules } from '../pages/page-headers.ts'
import type { ExplorerFiles } from './explorer-files.ts'

/** The URLs and the network id that the page needs. */
export interface ExplorerAddresses {
  /** The API's URL, without /v1 and without a trailing slash. */
  readonly apiUrl: string
  /** The URL of the console, where users create keys. */
  readonly consoleUrl: string
  /** The explorer's own URL. */
  readonly explorerUrl: string
  /**
   * Id of the first network; empty if there is none. Its lines are requested at the same time as the list of networks.
   */
  readonly network: string
}

/** The URL path of the operator's base map. */
export const TILES_PATH = '/tiles.pmtiles'

/** Returns the page's HTML. @param tilesPath the URL path of the base map; empty if there is none */
export function explorerPage(
  { apiUrl, consoleUrl, network }: ExplorerAddresses,
  { named }: ExplorerFiles,
  tilesPath: string,
): string {
  return appPage({
    title: 'Quai explorer',
    id: 'explorer',
    files: { script: `/${named.script}`, style: `/${named.style}`, mark: `/${named.mark}` },
    modules: named.modules.map((path) => `/${path}`),
    origins: [new URL(apiUrl).origin],
    metadata: {
      network,
      api: apiUrl,
      console: consoleUrl,
      worker: `/${named.worker}`,
      outline: `/${named.outline}`,
      tiles: tilesPath,
    },
    withoutScript: `The explorer needs JavaScript. The API is documented at ${apiUrl}/docs.`,
  })
}

/**
 * The rules that the explorer's page adds to the security policy: the page may call the API and start its own worker.
 */
export function explorerRules({ apiUrl, explorerUrl }: ExplorerAddresses): PageRules {
  return {
    policy: [`connect-src 'self' ${new URL(apiUrl).origin}`, "worker-src 'self'", "form-action 'none'"],
    isSecure: explorerUrl.startsWith('https:'),
    hasMap: true,
  }
}
