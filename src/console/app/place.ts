// The open screen, from the address's fragment: tokens in mailed links never reach a server.
import { useFragment } from '../../pages/app/fragment.ts'

/** A screen and the query of its address. */
export interface Place {
  /** Starts with a slash, such as /keys; the first screen is /. */
  readonly path: string
  readonly query: URLSearchParams
}

/** Returns the open place; rerenders when it changes. */
export function usePlace(): Place {
  return useFragment(readPlace)
}

/** Opens a place. */
export function open(path: string): void {
  location.hash = path
}

/** Removes the query from the address and the history, so that neither keeps a token. */
export function forgetQuery(path: string): void {
  history.replaceState(null, '', `${location.pathname}#${path}`)
}

function readPlace(): Place {
  const [path = '', query = ''] = location.hash.slice(1).split('?', 2)
  return { path: path === '' ? '/' : path, query: new URLSearchParams(query) }
}
