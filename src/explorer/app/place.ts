// The open screen is called the place. It is stored in the fragment of the page's address, so that screens can be
// bookmarked and the "back" button works. Each entry of the browser's history also stores the view of the map. This
// view is restored when the user goes back to the entry.
import { useFragment } from '../../pages/app/fragment.ts'

/** An open screen. */
export interface Place {
  /** Id of the chosen network; empty if none is chosen. */
  readonly network: string
  readonly room: 'lines' | 'line' | 'stop' | 'trip' | 'journey' | 'alerts' | 'nearby'
  /** Id of the line, stop or trip. */
  readonly id: string
  /** For journeys: `from` and `to`, each a stop id or `lat,lon`, and the time. For nearby stops: `near`. */
  readonly query: URLSearchParams
}

/** The view of the map: its center in degrees, and its zoom. */
export interface Camera {
  readonly lon: number
  readonly lat: number
  readonly zoom: number
}

/** The state of an entry of the browser's history. */
interface Entry {
  /** The number of the explorer's entries before this entry. */
  readonly depth: number
  readonly camera?: Camera
}

const ROOMS: readonly string[] = ['line', 'stop', 'trip', 'journey', 'alerts', 'nearby'] satisfies Place['room'][]

let depth = readEntry()?.depth ?? 0
let href = location.hash
/** The value that `leftAddress` returns. */
let leftHref = ''

if (readEntry() === undefined) keep({})
// This listener is registered before the listeners of the screens, which read the state that it stores.
addEventListener('hashchange', () => {
  const entry = readEntry()
  depth = entry?.depth ?? depth + 1
  keep({})
  leftHref = entry === undefined ? '' : href
  href = location.hash
})

/** Returns the open place; rerenders the component when the place changes. */
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
export function open(to: string): void {
  location.hash = to
}

/** Opens a place without adding to the history. */
export function replace(to: string): void {
  history.replaceState({ depth } satisfies Entry, '', to)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** Goes back in the history, if the previous entry belongs to the explorer. Returns whether it went back. */
export function goBack(): boolean {
  if (depth === 0) return false
  history.back()
  return true
}

/** The address from which the user went back to the current address; empty if the user followed a link to it. */
export function leftAddress(): string {
  return leftHref
}

/** The view of the map when the open entry of the history was last open; undefined for a new entry. */
export function keptCamera(): Camera | undefined {
  return readEntry()?.camera
}

/** Stores the view of the map in the open entry of the history. */
export function keepCamera(camera: Camera): void {
  keep({ camera })
}

function keep(change: Partial<Entry>): void {
  history.replaceState({ ...readEntry(), depth, ...change } satisfies Entry, '')
}

/** The state of the open entry of the history. Only this file writes such states. */
function readEntry(): Entry | undefined {
  const state: Entry | null = history.state
  return state ?? undefined
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
