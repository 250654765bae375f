// What the service tells the page of itself, in its head.

/** The API's address, without /v1. */
export const API_URL = told('api')
/** Where keys are made. */
export const CONSOLE_URL = told('console')
/** MapLibre's worker. */
export const WORKER_URL = told('worker')
/** The world's land, for far out. */
export const OUTLINE_URL = told('outline')
/** The operator's own map, or empty. */
export const TILES_URL = told('tiles')

function told(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="quai-${name}"]`)?.content ?? ''
}
