// In this code, the open screen is called the place. It is stored in the fragment of the page's URL, so that screens
// can be bookmarked and the "back" button works. Each entry in the browser's history also stores the map view, which is
// restored when the user goes back to the entry.
import { useFragment } from '../../pages/app/fragment.ts'

/** An open screen. */
export interface Place {
  /** Id of the chosen network; empty if none is chosen. */
  readonly network: string
  readonly room: 'lines' | 'line' | 'stop' | 'trip' | 'journey' | 'alerts' | 'nearby'
  /** Id of the line, stop or trip; empty for other screens. */
  readonly id: string
  /** For journeys: `from` and `to`, each a stop id or `lat,lon`, and the time and options. For nearby stops: `near`. */
  readonly query: URLSearchParams
}

/** The map view: its center in degrees, and its zoom. */
export interface Camera {
  readonly lon: number
  readonly lat: number
  readonly zoom: number
}

/** The state of an entry in the browser's history. */
interface Entry {
  /** The number of entries in the history that belong to the explorer and come before this entry. */
  readonly depth: number
  readonly camera?: Camera
}

const ROOMS: readonly string[] = ['line', 'stop', 'trip', 'journey', 'alerts', 'nearby'] satisfies Place['room'][]

let depth = readEntry()?.depth ?? 0
let href = location.hash
/** The value that `leftAddress` returns. */
let leftHref = ''

if (readEntry() === undefined) keep({})
// Registered before the listeners of the screens, because those read the state that this listener stores.
addEventListener('hashchange', () => {
  const entry = readEntry()
  depth = entry?.depth ?? depth + 1
  keep({})
  leftHref = entry === undefined ? '' : href
  href = location.hash
})

/** Returns the open place, and rerenders the component when the place changes. */
export function usePlace(): Place {
  return useFragment(readPlace)
}

/** Parses the place from the current URL. */
export function readPlace(): Place {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2)
  const [network = '', room = '', id = ''] = path.split('/').map(decode)
  return { network, room: isRoom(room) ? room : 'lines', id, query: new URLSearchParams(query) }
}

/** The URL fragment of a place. */
export function hrefOf(
  network: string,
  room: Place['room'] = 'lines',
  rest: { id?: string; query?: string } = {},
): string {
  const parts = room === 'lines' ? [network] : rest.id === undefined ? [network, room] : [network, room, rest.id]
  return `#/${parts.map((part) => encodeURIComponent(part).replaceAll('%3A', ':')).join('/')}${rest.query === undefined ? '' : `?${rest.query}`}`
}

/** Opens the place with the given URL fragment. */
export function open(to: string): void {
  location.hash = to
}

/** Opens the place with the given URL fragment, without adding an entry to the history. */
export function replace(to: string): void {
  history.replaceState({ depth } satisfies Entry, '', to)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** Goes back in the history if the previous entry belongs to the explorer. Returns whether it went back. */
export function goBack(): boolean {
  if (depth === 0) return false
  history.back()
  return true
}

/**
 * The URL fragment of the place from which the user came back to the open place; empty if a link led to the open
 * place.
 */
export function leftAddress(): string {
  return leftHref
}

/** The map view when the current history entry was last open; undefined if the entry is new. */
export function keptCamera(): Camera | undefined {
  return readEntry()?.camera
}

/** Stores the map view in the current history entry. */
export function keepCamera(camera: Camera): void {
  keep({ camera })
}

function keep(change: Partial<Entry>): void {
  history.replaceState({ ...readEntry(), depth, ...change } satisfies Entry, '')
}

/**
 * The state of the current history entry; undefined if this file has not stored one. No other file stores such states.
 */
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
