// Departures as JSON, put together from fragments that never change: one for each stop, direction and headsign.
// Written by hand since ten of them are most of what a board costs; bench/ and the golden answers hold it to be right.
import type { Departure } from '../../indexes/timetable/boards.ts'
import { modeWord } from '../../indexes/timetable/modes.ts'
import { serviceDate } from '../../indexes/timetable/service-dates.ts'
import type { DirectionIndex, LineIndex, StopIndex, TripIndex } from '../../indexes/timetable/timetable.ts'
import { runSuffix, stopHeadsignIndex } from '../../indexes/timetable/trips.ts'
import { type StringIndex, textOf } from '../../loaders/strings.ts'
import { colorText, directionId } from './line-text.ts'
import { lineId, stopId } from './public-ids.ts'
import type { SnapshotRows } from './snapshot-view.ts'

/** What no live feed has spoken of. */
const NOT_LIVE = '","expected_at":null,"delay_seconds":null,"realtime":false,"status":"unknown",'

/** The fragments of one snapshot, filled as they are asked for; at most one for each row of its columns. */
export class DepartureTexts {
  private readonly view: SnapshotRows
  private readonly stopHeads: string[] = []
  private readonly stopTails: string[] = []
  private readonly directions: string[] = []
  private readonly reducedDirections: string[] = []
  private readonly headsigns = new Map<StringIndex, string>()
  private readonly tripHeads: string[] = []

  constructor(view: SnapshotRows) {
    this.view = view
  }

  /** A departure of a board. */
  text(departure: Departure): string {
    const { stop, trip, day } = departure
    const direction = this.directionOf(trip)
    return (
      (this.stopHeads[stop] ?? this.renderStopHead(stop)) +
      (this.directions[direction] ?? this.renderDirection(direction)) +
      this.headsignOf(departure) +
      this.view.localTime.text(departure.departureSeconds) +
      NOT_LIVE +
      (this.tripHeads[day] ?? this.renderTripHead(day)) +
      this.tripIdOf(trip) +
      runSuffix(departure.runStartSeconds) +
      (this.stopTails[stop] ?? this.renderStopTail(stop))
    )
  }

  /** A departure in a group of a nearby answer: fewer members. */
  reducedText(departure: Departure): string {
    const { stop, trip } = departure
    const direction = this.directionOf(trip)
    return (
      (this.stopHeads[stop] ?? this.renderStopHead(stop)) +
      (this.reducedDirections[direction] ?? this.renderReducedDirection(direction)) +
      this.headsignOf(departure) +
      this.view.localTime.text(departure.departureSeconds) +
      NOT_LIVE +
      '"source":"gtfs"}'
    )
  }

  private directionOf(trip: TripIndex): DirectionIndex {
    const { patterns, trips } = this.view.timetable
    return patterns.direction[trips.pattern[trip]]
  }

  private headsignOf(departure: Departure): string {
    const { timetable } = this.view
    const headsign = stopHeadsignIndex(timetable, departure.trip, departure.position)
    const known = this.headsigns.get(headsign)
    if (known !== undefined) return known
    const text = `"headsign":${JSON.stringify(textOf(timetable.strings, headsign))},"scheduled_at":"`
    this.headsigns.set(headsign, text)
    return text
  }

  private tripIdOf(trip: TripIndex): string {
    const { strings, trips } = this.view.timetable
    return inQuotes(textOf(strings, trips.id[trip]))
  }

  private renderTripHead(day: number): string {
    const head = `"trip_id":"${inQuotes(this.view.slug)}:trip:${serviceDate(this.view.timetable, day)}:`
    this.tripHeads[day] = head
    return head
  }

  private renderStopHead(stop: StopIndex): string {
    const head = `{"stop_id":${JSON.stringify(stopId(this.view, stop))},`
    this.stopHeads[stop] = head
    return head
  }

  private renderStopTail(stop: StopIndex): string {
    const { stops, strings } = this.view.timetable
    const platform = JSON.stringify(textOf(strings, stops.platformCode[stop]))
    const tail = `","vehicle_id":null,"platform":${platform},"source":"gtfs"}`
    this.stopTails[stop] = tail
    return tail
  }

  private renderDirection(direction: DirectionIndex): string {
    const { lines, strings, directions } = this.view.timetable
    const line = directions.line[direction]
    const members = JSON.stringify({
      line_id: lineId(this.view, line),
      line_code: textOf(strings, lines.code[line]),
      line_name: textOf(strings, lines.name[line]),
      mode: modeWord(lines.mode[line]),
      color: colorText(lines.color[line]),
      text_color: colorText(lines.textColor[line]),
      direction_id: directionId(this.view, direction),
    })
    const text = `${members.slice(1, -1)},`
    this.directions[direction] = text
    return text
  }

  private renderReducedDirection(direction: DirectionIndex): string {
    const { lines, strings, directions } = this.view.timetable
    const line: LineIndex = directions.line[direction]
    const members = JSON.stringify({
      line_id: lineId(this.view, line),
      line_code: textOf(strings, lines.code[line]),
      mode: modeWord(lines.mode[line]),
    })
    const text = `${members.slice(1, -1)},`
    this.reducedDirections[direction] = text
    return text
  }
}

/** A text as it stands between the quotes of a JSON string. */
function inQuotes(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
