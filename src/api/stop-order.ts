// The stops and areas of a network by name, in natural order: worked out once for each snapshot, at the first list.
import { compareCodeUnits } from '../../indexes/text/natural-order.ts'
import type { AreaIndex, StopIndex } from '../../indexes/timetable/timetable.ts'
import { textOf } from '../../loaders/strings.ts'
import { compareEnds, type PageEnd } from './cursor.ts'
import type { Place, SnapshotView } from './snapshot-view.ts'

/** A stop or area by number: stops first, then areas behind the last stop. */
export function placeAt(view: SnapshotView, number: number): Place {
  const stopCount = view.timetable.stops.id.length
  return number < stopCount
    ? { kind: 'stop', stop: number as StopIndex }
    : { kind: 'area', area: (number - stopCount) as AreaIndex }
}

const namesByView = new WeakMap<SnapshotView, NameOrder>()

/** All stops and areas of a snapshot, by name. */
export function nameOrder(view: SnapshotView): NameOrder {
  const known = namesByView.get(view)
  if (known !== undefined) return known
  const order = new NameOrder(view)
  namesByView.set(view, order)
  return order
}

/** Stops and areas by natural order of name, then by id. */
export class NameOrder {
  /** Place numbers, in order. */
  readonly numbers: Uint32Array
  private readonly view: SnapshotView

  constructor(view: SnapshotView) {
    this.view = view
    const { stops, areas } = view.timetable
    const count = stops.id.length + areas.id.length
    const names = Array.from({ length: count }, (_, number) => placeName(view, placeAt(view, number)))
    const keys = names.map(naturalKey)
    // Stops and areas are numbered by id, so that numbers order ids.
    this.numbers = Uint32Array.from({ length: count }, (_, number) => number).sort(
      (a, b) =>
        compareCodeUnits(keys[a] as string, keys[b] as string) ||
        compareCodeUnits(names[a] as string, names[b] as string) ||
        kindOrder(placeAt(view, a)) - kindOrder(placeAt(view, b)) ||
        a - b,
    )
  }

  /** Where in `numbers` the first stop or area behind a place is, by halving. */
  firstBehind(end: PageEnd): number {
    let low = 0
    let high = this.numbers.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (compareEnds(nameEnd(this.view, this.numbers[middle] as number), end) > 0) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** What orders a stop or area by name. Ids of areas come before those of stops, as plain strings do. */
export function nameEnd(view: SnapshotView, number: number): PageEnd {
  const place = placeAt(view, number)
  return { key: [placeName(view, place), kindOrder(place)], id: placeLocalId(view, place) }
}

/** What orders a stop or area by relevance; see `searchStops`. */
export function relevanceEnd(view: SnapshotView, number: number, rank: number): PageEnd {
  const { key, id } = nameEnd(view, number)
  return { key: [rank, ...key], id }
}

/** What orders a stop or area by distance. */
export function distanceEnd(view: SnapshotView, number: number, distanceMeters: number): PageEnd {
  const place = placeAt(view, number)
  return { key: [distanceMeters, kindOrder(place)], id: placeLocalId(view, place) }
}

/** The types of the sort keys above. */
export const STOP_KEYS = {
  name: ['string', 'number'],
  relevance: ['number', 'string', 'number'],
  distance: ['number', 'number'],
} as const

function kindOrder(place: Place): number {
  return place.kind === 'area' ? 0 : 1
}

/** A text that orders, code unit by code unit, as `compareNatural` does, but for ties: numbers lead with their length. */
export function naturalKey(name: string): string {
  return name.toLowerCase().replace(DIGITS, (digits) => {
    const number = digits.replace(/^0+/, '')
    return `0${String.fromCharCode(number.length)}${number}`
  })
}

const DIGITS = /[0-9]+/g

/** The name of a stop or area. */
export function placeName(view: SnapshotView, place: Place): string {
  const { stops, areas, strings } = view.timetable
  return textOf(strings, place.kind === 'stop' ? stops.name[place.stop] : areas.name[place.area])
}

/** The feed's id of a stop or area. */
export function placeLocalId(view: SnapshotView, place: Place): string {
  const { stops, areas, strings } = view.timetable
  return textOf(strings, place.kind === 'stop' ? stops.id[place.stop] : areas.id[place.area])
}
