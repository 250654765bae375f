// Departures as JSON, put together from fragments that never change: one for each stop, direction and headsign.
// Ten of them are most of what a board costs; the golden answers hold them to be right.
import type { Departure } from '../../indexes/timetable/boards.ts'
import { modeWord } from '../../indexes/timetable/modes.ts'
import { serviceDate } from '../../indexes/timetable/service-dates.ts'
import type { DirectionIndex, StopIndex } from '../../indexes/timetable/timetable.ts'
import { runSuffix, stopHeadsignIndex } from '../../indexes/timetable/trips.ts'
import { type StringIndex, textOf } from '../../loaders/strings.ts'
import { fragment, type JsonBytes } from './json-bytes.ts'
import { colorText, directionId } from './line-text.ts'
import { lineId, stopId } from './public-ids.ts'
import type { SnapshotRows } from './snapshot-view.ts'

/** What no live feed has spoken of. */
const NOT_LIVE = '","expected_at":null,"delay_seconds":null,"realtime":false,"status":"unknown",'
const REDUCED_TAIL = fragment(`${NOT_LIVE}"source":"gtfs"}`)

/** The fragments of one snapshot, filled as they are asked for; at most one for each row of its columns. */
export class DepartureWriter {
  private readonly view: SnapshotRows
  private readonly stopHeads: Uint8Array[] = []
  private readonly stopTails: Uint8Array[] = []
  private readonly directions: Uint8Array[] = []
  private readonly reducedDirections: Uint8Array[] = []
  private readonly headsigns = new Map<StringIndex, Uint8Array>()
  private readonly tripHeads: Uint8Array[] = []

  constructor(view: SnapshotRows) {
    this.view = view
  }

  /** Appends a departure of a board. */
  write(out: JsonBytes, departure: Departure): void {
    const { timetable, localTime } = this.view
    const { stop, trip, day, runStartSeconds } = departure
    const { patterns, trips, strings } = timetable
    const direction = patterns.direction[trips.pattern[trip]]
    out.push(this.stopHeads[stop] ?? this.renderStopHead(stop))
    out.push(this.directions[direction] ?? this.renderDirection(direction))
    out.push(this.headsignOf(departure))
    out.pushLocalTime(localTime, departure.departureSeconds)
    out.push(this.tripHeads[day] ?? this.renderTripHead(day))
    out.pushPoolText(strings, trips.id[trip])
    if (runStartSeconds >= 0) out.pushText(runSuffix(runStartSeconds))
    out.push(this.stopTails[stop] ?? this.renderStopTail(stop))
  }

  /** Appends a departure in a group of a nearby answer: fewer members. */
  writeReduced(out: JsonBytes, departure: Departure): void {
    const { timetable, localTime } = this.view
    const { stop, trip } = departure
    const direction = timetable.patterns.direction[timetable.trips.pattern[trip]]
    out.push(this.stopHeads[stop] ?? this.renderStopHead(stop))
    out.push(this.reducedDirections[direction] ?? this.renderReducedDirection(direction))
    out.push(this.headsignOf(departure))
    out.pushLocalTime(localTime, departure.departureSeconds)
    out.push(REDUCED_TAIL)
  }

  private headsignOf(departure: Departure): Uint8Array {
    const { timetable } = this.view
    const headsign = stopHeadsignIndex(timetable, departure.trip, departure.position)
    const known = this.headsigns.get(headsign)
    if (known !== undefined) return known
    const bytes = fragment(`"headsign":${JSON.stringify(textOf(timetable.strings, headsign))},"scheduled_at":"`)
    this.headsigns.set(headsign, bytes)
    return bytes
  }

  private renderTripHead(day: number): Uint8Array {
    const { slug, timetable } = this.view
    const bytes = fragment(`${NOT_LIVE}"trip_id":"${slug}:trip:${serviceDate(timetable, day)}:`)
    this.tripHeads[day] = bytes
    return bytes
  }

  private renderStopHead(stop: StopIndex): Uint8Array {
    const bytes = fragment(`{"stop_id":${JSON.stringify(stopId(this.view, stop))},`)
    this.stopHeads[stop] = bytes
    return bytes
  }

  private renderStopTail(stop: StopIndex): Uint8Array {
    const { stops, strings } = this.view.timetable
    const platform = JSON.stringify(textOf(strings, stops.platformCode[stop]))
    const bytes = fragment(`","vehicle_id":null,"platform":${platform},"source":"gtfs"}`)
    this.stopTails[stop] = bytes
    return bytes
  }

  private renderDirection(direction: DirectionIndex): Uint8Array {
    const { lines, strings, directions } = this.view.timetable
    const line = directions.line[direction]
    const bytes = membersFragment({
      line_id: lineId(this.view, line),
      line_code: textOf(strings, lines.code[line]),
      line_name: textOf(strings, lines.name[line]),
      mode: modeWord(lines.mode[line]),
      color: colorText(lines.color[line]),
      text_color: colorText(lines.textColor[line]),
      direction_id: directionId(this.view, direction),
    })
    this.directions[direction] = bytes
    return bytes
  }

  private renderReducedDirection(direction: DirectionIndex): Uint8Array {
    const { lines, strings, directions } = this.view.timetable
    const line = directions.line[direction]
    const bytes = membersFragment({
      line_id: lineId(this.view, line),
      line_code: textOf(strings, lines.code[line]),
      mode: modeWord(lines.mode[line]),
    })
    this.reducedDirections[direction] = bytes
    return bytes
  }
}

/** Members of an object, without its braces, and a comma. */
function membersFragment(members: Readonly<Record<string, string>>): Uint8Array {
  return fragment(`${JSON.stringify(members).slice(1, -1)},`)
}
