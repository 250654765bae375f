// Values that the service writes into the page's meta elements: addresses, and the first network.

/** The API's address, without /v1. */
export const API_URL = metaContent('api')
/** The console's address. */
export const CONSOLE_URL = metaContent('console')
/** The script of MapLibre's worker. */
export const WORKER_URL = metaContent('worker')
/** The outline of the world's land. */
export const OUTLINE_URL = metaContent('outline')
/** Id of the network that is shown first; empty if there is none. */
export const FIRST_NETWORK = metaContent('network')
/** The operator's base map; empty if there is none. */
export const TILES_URL = metaContent('tiles')

function metaContent(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="quai-${name}"]`)?.content ?? ''
}
