// Which screen is open, by the fragment of the address, so that a screen can be kept as a bookmark and "back" works.
import { useFragment } from '../../pages/app/fragment.ts'

/** An open screen. */
export interface Place {
  /** Empty where none is chosen. */
  readonly network: string
  readonly room: 'lines' | 'line' | 'stop' | 'journey' | 'alerts'
  /** Of the line or the stop. */
  readonly id: string
  /** Of the journey: `from` and `to`, each a stop's id or `lat,lon`, and when. */
  readonly query: URLSearchParams
}

const ROOMS: readonly string[] = ['line', 'stop', 'journey', 'alerts'] satisfies Place['room'][]

/** The open place; a component that uses it is drawn anew when another is opened. */
export function usePlace(): Place {
  return useFragment(readPlace)
}

/** The place the address names now. */
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

/** Opens a place in place of the present one: "back" passes it over. */
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
