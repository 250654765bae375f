// Which screen is open: the fragment of the address, so that what links of mails carry reaches no server.
import { useFragment } from '../../pages/app/fragment.ts'

/** A screen and what its address says besides. */
export interface Place {
  /** From a slash on, such as /keys; the start is /. */
  readonly path: string
  readonly query: URLSearchParams
}

/** The open place; a component that uses it is drawn anew when another is opened. */
export function usePlace(): Place {
  return useFragment(readPlace)
}

/** Opens a place. */
export function open(path: string): void {
  location.hash = path
}

/** Takes what follows the path out of the address and the history, so that a token stays in neither. */
export function forgetQuery(path: string): void {
  history.replaceState(null, '', `${location.pathname}#${path}`)
}

function readPlace(): Place {
  const [path = '', query = ''] = location.hash.slice(1).split('?', 2)
  return { path: path === '' ? '/' : path, query: new URLSearchParams(query) }
}
