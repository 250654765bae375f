// The open screen, from the address's fragment: screens can be bookmarked, and "back" works.
import { useFragment } from '../../pages/app/fragment.ts'

/** An open screen. */
export interface Place {
  /** Empty if none is chosen. */
  readonly network: string
  readonly room: 'lines' | 'line' | 'stop' | 'journey' | 'alerts'
  /** Id of the line or stop. */
  readonly id: string
  /** The journey's `from` and `to`, each a stop id or `lat,lon`, and its time. */
  readonly query: URLSearchParams
}

const ROOMS: readonly string[] = ['line', 'stop', 'journey', 'alerts'] satisfies Place['room'][]

/** Returns the open place; rerenders when it changes. */
export function usePlace(): Place {
  return useFragment(readPlace)
}

/** Parses the place from the current address. */
export function readPlace(): Place {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2)
  const [network = '', room = '', id = ''] = path.split('/').map(decode)
  return { network, room: isRoom(room) ? room : 'lines', id, query: new URLSearchParams(query) }
}

/** The address of a place. */
export function hrefOf(
  network: string,
  room: Place['room'] = 'lines',
  rest: { id?: string; query?: string } = {},
): string {
  const parts = room === 'lines' ? [network] : rest.id === undefined ? [network, room] : [network, room, rest.id]
  return `#/${parts.map((part) => encodeURIComponent(part).replaceAll('%3A', ':')).join('/')}${rest.query === undefined ? '' : `?${rest.query}`}`
}

/** Opens a place. */
export function open(href: string): void {
  location.hash = href
}

/** Opens a place without adding to the history. */
export function replace(href: string): void {
  history.replaceState(null, '', href)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

function isRoom(word: string): word is Place['room'] {
  return ROOMS.includes(word)
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}
