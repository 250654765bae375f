// Distinguishes stops whose labels (name and town) are the same, by adding the city, the lines or the platform to the
// labels.
import { linesOfArea } from '../../indexes/timetable/areas.ts'
import { lineCode } from '../../indexes/timetable/lines.ts'
import { linesOfStop } from '../../indexes/timetable/stops.ts'
import { type StringIndex, textOf } from '../../loaders/strings.ts'
import type { FoundPlace } from './place-hits.ts'

type FoundStop = Extract<FoundPlace, { kind: 'stop' }>

/** Maximum number of lines in a label. */
const MOST_LINES = 4

/** For stops with the same label: row in the result → text to add to the row's label. */
export function alikeLabels(rows: readonly FoundPlace[]): ReadonlyMap<FoundPlace, string> {
  const additions = new Map<FoundPlace, string>()
  if (!hasTwins(rows)) return additions
  const stops = rows.filter((row) => row.kind === 'stop')
  for (const alike of Map.groupBy(stops, labelOf).values()) {
    if (alike.length < 2) continue
    const differing = DETAILS.filter((detail) => new Set(alike.map(detail)).size > 1)
    for (const row of alike) {
      const parts = differing.map((detail) => detail(row))
      const addition = parts.filter((part) => part !== '').join(', ')
      if (addition !== '') additions.set(row, addition)
    }
  }
  return additions
}

/**
 * Whether any two stops may have the same label. Compares rows without making their labels, because equal labels are
 * rare.
 */
function hasTwins(rows: readonly FoundPlace[]): boolean {
  for (let at = 1; at < rows.length; at++) {
    for (let before = 0; before < at; before++) {
      if (areTwins(rows[before], rows[at])) return true
    }
  }
  return false
}

/**
 * Whether two stops may have the same name. Always true for stops in different networks, whose names are not compared.
 * A network stores each name once, so two of its stops have the same name only if the indexes of the names are equal.
 */
function areTwins(one: FoundPlace, other: FoundPlace): boolean {
  if (one.kind !== 'stop' || other.kind !== 'stop') return false
  return one.view !== other.view || nameOf(one) === nameOf(other)
}

function nameOf({ view, place }: FoundStop): StringIndex {
  const { stops, areas } = view.timetable
  return place.kind === 'stop' ? stops.name[place.stop] : areas.name[place.area]
}

function labelOf(found: FoundStop): string {
  const { view, place } = found
  const { stops, areas, strings } = view.timetable
  const isStop = place.kind === 'stop'
  const lat = isStop ? stops.lat[place.stop] : areas.lat[place.area]
  const lon = isStop ? stops.lon[place.stop] : areas.lon[place.area]
  return `${textOf(strings, nameOf(found))}, ${view.townAt(lat, lon)}`
}

/**
 * The details that can distinguish stops, in the order in which they are added to a label. Only details that differ
 * between the stops are added.
 */
const DETAILS: readonly ((row: FoundStop) => string)[] = [
  ({ view }) => view.settings.city,
  ({ view: { timetable }, place }) => {
    const lines = place.kind === 'stop' ? linesOfStop(timetable, place.stop) : linesOfArea(timetable, place.area)
    const codes = [...new Set(lines.map((line) => lineCode(timetable, line)))]
    return codes.slice(0, MOST_LINES).join(' ') + (codes.length > MOST_LINES ? ' …' : '')
  },
  ({ view: { timetable }, place }) =>
    place.kind === 'stop' ? textOf(timetable.strings, timetable.stops.platformCode[place.stop]) : '',
]
