// Departures as JSON, put together from fragments that never change: one for each stop, direction and headsign.
// Ten of them are most of what a board costs; the golden answers hold them to be right.
import { type BoardRow, type LiveRow, refOfInstance, type ScheduledRow } from '../../indexes/live/live-boards.ts'
import { liveHeadsign } from '../../indexes/live/live-headsign.ts'
import type { InstanceIndex, LiveCallIndex, Overlay } from '../../indexes/live/overlay.ts'
import { modeWord } from '../../indexes/timetable/modes.ts'
import { serviceDate } from '../../indexes/timetable/service-dates.ts'
import type { DirectionIndex, StopIndex } from '../../indexes/timetable/timetable.ts'
import { runSuffix, stopHeadsignIndex } from '../../indexes/timetable/trips.ts'
import { type StringIndex, textOf } from '../../loaders/strings.ts'
import { fragment, type JsonBytes } from './json-bytes.ts'
import { colorText, directionId } from './line-text.ts'
import { type LiveDeparture, liveDepartureOf } from './live-departure.ts'
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

  /** Appends a departure of a board. @param overlay the one that the row was listed with */
  write(out: JsonBytes, row: BoardRow, overlay: Overlay | undefined): void {
    if (row.kind === 'scheduled') this.writeScheduled(out, row)
    else if (overlay !== undefined) this.writeLive(out, row, overlay)
  }

  /** Appends a departure in a group of a nearby answer: fewer members. */
  writeReduced(out: JsonBytes, row: BoardRow, overlay: Overlay | undefined): void {
    if (row.kind === 'scheduled') this.writeReducedScheduled(out, row)
    else if (overlay !== undefined) this.writeReducedLive(out, row, overlay)
  }

  private writeScheduled(out: JsonBytes, departure: ScheduledRow): void {
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

  private writeReducedScheduled(out: JsonBytes, departure: ScheduledRow): void {
    const { timetable, localTime } = this.view
    const { stop, trip } = departure
    const direction = timetable.patterns.direction[timetable.trips.pattern[trip]]
    out.push(this.stopHeads[stop] ?? this.renderStopHead(stop))
    out.push(this.reducedDirections[direction] ?? this.renderReducedDirection(direction))
    out.push(this.headsignOf(departure))
    out.pushLocalTime(localTime, departure.departureSeconds)
    out.push(REDUCED_TAIL)
  }

  private writeLive(out: JsonBytes, { call }: LiveRow, overlay: Overlay): void {
    const { slug, timetable } = this.view
    const { calls, instances, strings } = overlay
    const instance = calls.instance[call]
    const stop = calls.stop[call]
    const direction = instances.direction[instance]
    const departure = liveDepartureOf(overlay, call)
    out.push(this.stopHeads[stop] ?? this.renderStopHead(stop))
    out.push(this.directions[direction] ?? this.renderDirection(direction))
    out.pushText(this.liveHeadsign(overlay, call))
    this.writeTimes(out, departure)
    out.pushText(`,"trip_id":"${slug}:trip:`)
    out.pushText(JSON.stringify(refOfInstance(timetable, overlay, instance)).slice(1))
    const vehicle = textOf(strings, instances.vehicle[instance])
    const vehicleId = vehicle === '' ? 'null' : JSON.stringify(`${slug}:vehicle:${vehicle}`)
    const platform = JSON.stringify(textOf(timetable.strings, timetable.stops.platformCode[stop]))
    out.pushText(`,"vehicle_id":${vehicleId},"platform":${platform},${sourceMember(overlay, instance, departure)}}`)
  }

  private writeReducedLive(out: JsonBytes, { call }: LiveRow, overlay: Overlay): void {
    const { calls, instances } = overlay
    const instance = calls.instance[call]
    const stop = calls.stop[call]
    const direction = instances.direction[instance]
    const departure = liveDepartureOf(overlay, call)
    out.push(this.stopHeads[stop] ?? this.renderStopHead(stop))
    out.push(this.reducedDirections[direction] ?? this.renderReducedDirection(direction))
    out.pushText(this.liveHeadsign(overlay, call))
    this.writeTimes(out, departure)
    out.pushText(`,${sourceMember(overlay, instance, departure)}}`)
  }

  /** From behind `"scheduled_at":"` on through `status`. */
  private writeTimes(out: JsonBytes, departure: LiveDeparture): void {
    const { localTime } = this.view
    const { scheduledSeconds, expectedSeconds, delaySeconds, isRealtime, status } = departure
    out.pushLocalTime(localTime, scheduledSeconds)
    if (expectedSeconds === undefined) out.pushText('","expected_at":null')
    else {
      out.pushText('","expected_at":"')
      out.pushLocalTime(localTime, expectedSeconds)
      out.pushText('"')
    }
    out.pushText(`,"delay_seconds":${delaySeconds ?? 'null'},"realtime":${isRealtime},"status":"${status}"`)
  }

  private liveHeadsign(overlay: Overlay, call: LiveCallIndex): string {
    return `"headsign":${JSON.stringify(liveHeadsign(this.view.timetable, overlay, call))},"scheduled_at":"`
  }

  private headsignOf(departure: ScheduledRow): Uint8Array {
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

/** The feed that speaks of the call, or the timetable where none does. */
function sourceMember({ instances, meta }: Overlay, instance: InstanceIndex, { isRealtime }: LiveDeparture): string {
  const feed = isRealtime ? meta.feedIds[instances.feed[instance]] : undefined
  return `"source":${JSON.stringify(feed ?? 'gtfs')}`
}

/** Members of an object, without its braces, and a comma. */
function membersFragment(members: Readonly<Record<string, string>>): Uint8Array {
  return fragment(`${JSON.stringify(members).slice(1, -1)},`)
}
