// The open screen. It is named in the fragment of the page's address, because a fragment is never sent to a server, and
// the fragments of emailed links contain tokens.
import { useFragment } from '../../pages/app/fragment.ts'

/** The path of a screen, and the query after the path in the fragment. */
export interface Place {
  /** Starts with a slash, such as `/keys`. The path of the first screen is `/`. */
  readonly path: string
  readonly query: URLSearchParams
}

/**
 * Returns the path and query of the open screen. A component that calls this rerenders when the path or query changes.
 */
export function usePlace(): Place {
  return useFragment(readPlace)
}

/** Opens the screen at a path. */
export function open(path: string): void {
  location.hash = path
}

/** Removes the query, which may contain a token, from the page's address and from the browser history. */
export function forgetQuery(path: string): void {
  history.replaceState(null, '', `${location.pathname}#${path}`)
}

function readPlace(): Place {
  const [path = '', query = ''] = location.hash.slice(1).split('?', 2)
  return { path: path === '' ? '/' : path, query: new URLSearchParams(query) }
}
