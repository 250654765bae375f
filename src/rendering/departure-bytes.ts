// Departures as JSON, assembled from constant fragments: one for each stop, direction and headsign. Ten rows are most
// of the cost of a board; the golden answers verify them.
import type { BoardRow, LiveRow, ScheduledRow } from '../../indexes/live/live-boards.ts'
import {
  type InstanceIndex,
  type LiveCallIndex,
  liveHeadsign,
  type Overlay,
  scheduledHeadsign,
} from '../../indexes/live/overlay.ts'
import { lineCode } from '../../indexes/timetable/lines.ts'
import { modeWord } from '../../indexes/timetable/modes.ts'
import { serviceDate } from '../../indexes/timetable/service-dates.ts'
import type { DirectionIndex, StopIndex } from '../../indexes/timetable/timetable.ts'
import { runSuffix, stopHeadsignIndex } from '../../indexes/timetable/trips.ts'
import { EMPTY_STRING, type StringIndex, textOf } from '../../loaders/strings.ts'
import { fragment, type JsonBytes } from './json-bytes.ts'
import { colorText, directionId } from './line-text.ts'
import { type DepartureStatus, type LiveDeparture, liveDepartureOf } from './live-departure.ts'
import { lineId, stopId } from './public-ids.ts'
import type { SnapshotRows } from './snapshot-view.ts'

/** A call without live data. */
const NOT_LIVE = '","expected_at":null,"delay_seconds":null,"realtime":false,"status":"unknown",'
const REDUCED_TAIL = fragment(`${NOT_LIVE}"source":"gtfs"}`)
const HEADSIGN_START = fragment('"headsign":"')
const SCHEDULED_START = fragment('","scheduled_at":"')
const NOT_EXPECTED = fragment('","expected_at":null')
const EXPECTED_START = fragment('","expected_at":"')
const QUOTE = fragment('"')
const DELAY_START = fragment(',"delay_seconds":')

/** A line and direction alone, and with each headsign that the timetable has for it, up to `"scheduled_at":"`. */
interface DirectionFragments {
  readonly alone: Uint8Array
  readonly bySign: Map<StringIndex, Uint8Array>
}

/** The fragments of one snapshot, filled on demand; at most one for each row of its columns. */
export class DepartureWriter {
  private readonly view: SnapshotRows
  private readonly stopHeads: Uint8Array[] = []
  private readonly stopTails: Uint8Array[] = []
  private readonly directions: DirectionFragments[] = []
  private readonly reducedDirections: DirectionFragments[] = []
  private readonly tripHeads: Uint8Array[] = []
  private readonly liveTripHead: Uint8Array
  private readonly liveTripHeads: Uint8Array[] = []
  private readonly vehicleHead: Uint8Array
  private readonly livePlatforms: Uint8Array[] = []
  private readonly sources = new Map<string, Uint8Array>()

  constructor(view: SnapshotRows) {
    this.view = view
    this.liveTripHead = fragment(`,"trip_id":"${view.slug}:trip:`)
    this.vehicleHead = fragment(`","vehicle_id":"${view.slug}:vehicle:`)
  }

  /** Appends a departure of a board. @param overlay the overlay that the row was listed with */
  write(out: JsonBytes, row: BoardRow, overlay: Overlay | undefined): void {
    if (row.kind === 'scheduled') this.writeScheduled(out, row)
    else if (overlay !== undefined) this.writeLive(out, row, overlay)
  }

  /** Appends a departure to a group of a nearby answer: it has fewer members. */
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
    this.writeDirection(out, direction, this.headsignOf(departure))
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
    this.writeReducedDirection(out, direction, this.headsignOf(departure))
    out.pushLocalTime(localTime, departure.departureSeconds)
    out.push(REDUCED_TAIL)
  }

  private writeLive(out: JsonBytes, { call }: LiveRow, overlay: Overlay): void {
    const { calls, instances, strings } = overlay
    const instance = calls.instance[call]
    const stop = calls.stop[call]
    const direction = instances.direction[instance]
    const departure = liveDepartureOf(overlay, call)
    out.push(this.stopHeads[stop] ?? this.renderStopHead(stop))
    const headsign = scheduledHeadsign(this.view.timetable, overlay, call)
    this.writeDirection(out, direction, headsign)
    if (headsign === undefined) this.writeLiveHeadsign(out, overlay, call)
    this.writeTimes(out, departure)
    this.writeLiveTripId(out, overlay, instance)
    const vehicle = instances.vehicle[instance]
    if (vehicle === EMPTY_STRING) out.pushText('","vehicle_id":null')
    else {
      out.push(this.vehicleHead)
      out.pushPoolText(strings, vehicle)
      out.pushText('"')
    }
    out.push(this.livePlatforms[stop] ?? this.renderLivePlatform(stop))
    out.push(this.sourceOf(overlay, instance, departure))
  }

  private writeReducedLive(out: JsonBytes, { call }: LiveRow, overlay: Overlay): void {
    const { calls, instances } = overlay
    const instance = calls.instance[call]
    const stop = calls.stop[call]
    const direction = instances.direction[instance]
    const departure = liveDepartureOf(overlay, call)
    out.push(this.stopHeads[stop] ?? this.renderStopHead(stop))
    const headsign = scheduledHeadsign(this.view.timetable, overlay, call)
    this.writeReducedDirection(out, direction, headsign)
    if (headsign === undefined) this.writeLiveHeadsign(out, overlay, call)
    this.writeTimes(out, departure)
    out.push(this.sourceOf(overlay, instance, departure))
  }

  /** From after `"scheduled_at":"` through `status`. */
  private writeTimes(out: JsonBytes, departure: LiveDeparture): void {
    const { localTime } = this.view
    const { scheduledSeconds, expectedSeconds, delaySeconds, isRealtime, status } = departure
    out.pushLocalTime(localTime, scheduledSeconds)
    if (expectedSeconds === undefined) out.push(NOT_EXPECTED)
    else {
      out.push(EXPECTED_START)
      out.pushLocalTime(localTime, expectedSeconds)
      out.push(QUOTE)
    }
    out.push(DELAY_START)
    if (delaySeconds === undefined) out.pushText('null')
    else out.pushNumber(delaySeconds)
    out.push(stateOf(isRealtime, status))
  }

  private writeLiveHeadsign(out: JsonBytes, overlay: Overlay, call: LiveCallIndex): void {
    out.push(HEADSIGN_START)
    out.pushText(JSON.stringify(liveHeadsign(this.view.timetable, overlay, call)).slice(1, -1))
    out.push(SCHEDULED_START)
  }

  /** `,"trip_id":"…`, without its last quote. */
  private writeLiveTripId(out: JsonBytes, { instances, strings }: Overlay, instance: InstanceIndex): void {
    const { timetable } = this.view
    const own = instances.ref[instance]
    if (own !== EMPTY_STRING) {
      out.push(this.liveTripHead)
      return out.pushPoolText(strings, own)
    }
    const day = instances.day[instance]
    out.push(this.liveTripHeads[day] ?? this.renderLiveTripHead(day))
    out.pushPoolText(timetable.strings, timetable.trips.id[instances.trip[instance]])
    const runStartSeconds = instances.runStart[instance]
    if (runStartSeconds >= 0) out.pushText(runSuffix(runStartSeconds))
  }

  /** The feed with live data for the call, or the timetable if there is none. */
  private sourceOf({ instances, meta }: Overlay, instance: InstanceIndex, { isRealtime }: LiveDeparture): Uint8Array {
    const source = (isRealtime ? meta.feedIds[instances.feed[instance]] : undefined) ?? 'gtfs'
    const known = this.sources.get(source)
    if (known !== undefined) return known
    const bytes = fragment(`,"source":${JSON.stringify(source)}}`)
    this.sources.set(source, bytes)
    return bytes
  }

  private headsignOf(departure: ScheduledRow): StringIndex {
    return stopHeadsignIndex(this.view.timetable, departure.trip, departure.position)
  }

  /** A line and direction, and the headsign if the timetable has one. */
  private writeDirection(out: JsonBytes, direction: DirectionIndex, headsign: StringIndex | undefined): void {
    const known = this.directions[direction] ?? this.renderDirection(direction)
    out.push(
      headsign === undefined ? known.alone : (known.bySign.get(headsign) ?? this.renderHeadsign(known, headsign)),
    )
  }

  private writeReducedDirection(out: JsonBytes, direction: DirectionIndex, headsign: StringIndex | undefined): void {
    const known = this.reducedDirections[direction] ?? this.renderReducedDirection(direction)
    out.push(
      headsign === undefined ? known.alone : (known.bySign.get(headsign) ?? this.renderHeadsign(known, headsign)),
    )
  }

  private renderHeadsign({ alone, bySign }: DirectionFragments, headsign: StringIndex): Uint8Array {
    const text = JSON.stringify(textOf(this.view.timetable.strings, headsign))
    const bytes = new Uint8Array(Buffer.concat([alone, fragment(`"headsign":${text},"scheduled_at":"`)]))
    bySign.set(headsign, bytes)
    return bytes
  }

  private renderTripHead(day: number): Uint8Array {
    const { slug, timetable } = this.view
    const bytes = fragment(`${NOT_LIVE}"trip_id":"${slug}:trip:${serviceDate(timetable, day)}:`)
    this.tripHeads[day] = bytes
    return bytes
  }

  private renderLiveTripHead(day: number): Uint8Array {
    const { slug, timetable } = this.view
    const bytes = fragment(`,"trip_id":"${slug}:trip:${serviceDate(timetable, day)}:`)
    this.liveTripHeads[day] = bytes
    return bytes
  }

  private renderLivePlatform(stop: StopIndex): Uint8Array {
    const { stops, strings } = this.view.timetable
    const bytes = fragment(`,"platform":${JSON.stringify(textOf(strings, stops.platformCode[stop]))}`)
    this.livePlatforms[stop] = bytes
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

  private renderDirection(direction: DirectionIndex): DirectionFragments {
    const { lines, strings, directions } = this.view.timetable
    const line = directions.line[direction]
    const bytes = membersFragment({
      line_id: lineId(this.view, line),
      line_code: lineCode(this.view.timetable, line),
      line_name: textOf(strings, lines.name[line]),
      mode: modeWord(lines.mode[line]),
      color: colorText(lines.color[line]),
      text_color: colorText(lines.textColor[line]),
      direction_id: directionId(this.view, direction),
    })
    this.directions[direction] = bytes
    return bytes
  }

  private renderReducedDirection(direction: DirectionIndex): DirectionFragments {
    const { lines, directions } = this.view.timetable
    const line = directions.line[direction]
    const bytes = membersFragment({
      line_id: lineId(this.view, line),
      line_code: lineCode(this.view.timetable, line),
      mode: modeWord(lines.mode[line]),
    })
    this.reducedDirections[direction] = bytes
    return bytes
  }
}

/** `,"realtime":…,"status":"…"`, indexed by both. */
const STATES = new Map<DepartureStatus, { readonly live: Uint8Array; readonly silent: Uint8Array }>()

function stateOf(isRealtime: boolean, status: DepartureStatus): Uint8Array {
  let states = STATES.get(status)
  if (states === undefined) {
    const stateText = (isLive: boolean) => fragment(`,"realtime":${isLive},"status":"${status}"`)
    states = { live: stateText(true), silent: stateText(false) }
    STATES.set(status, states)
  }
  return isRealtime ? states.live : states.silent
}

/** Members of an object, without its braces, and a comma. */
function membersFragment(members: Readonly<Record<string, string>>): DirectionFragments {
  return { alone: fragment(`${JSON.stringify(members).slice(1, -1)},`), bySign: new Map() }
}
