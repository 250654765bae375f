// Values that the service writes into the page's meta elements: URLs, and the id of the first network.

/** URL of the API, without /v1. */
export const API_URL = metaContent('api')
/** URL of the console. */
export const CONSOLE_URL = metaContent('console')
/** URL of MapLibre's worker script. */
export const WORKER_URL = metaContent('worker')
/** URL of the outline of the world's land. */
export const OUTLINE_URL = metaContent('outline')
/** Id of the network that is shown first; empty if there is none. */
export const FIRST_NETWORK = metaContent('network')
/** URL of the base map; empty if there is none. */
export const TILES_URL = metaContent('tiles')

function metaContent(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="quai-${name}"]`)?.content ?? ''
}
