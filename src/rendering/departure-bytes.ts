// Departures as JSON, assembled from prepared fragments, such as one per stop, one per direction and one per headsign.
// The fragments save time, because rendering the rows takes most of the time needed for a board.
import type { BoardRows } from '../../indexes/live/board-rows.ts'
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
import { COMMA, fragment, type JsonBytes, KeptRows } from './json-bytes.ts'
import { colorText, directionId } from './line-text.ts'
import { type DepartureStatus, isExpectedStatus, isRealtimeStatus, statusOfCall } from './live-departure.ts'
import { lineId, stopId } from './public-ids.ts'
import type { SnapshotRows } from './snapshot-view.ts'

/** The JSON that follows the value of `scheduled_at` in a row without live data. */
const NOT_LIVE = '","expected_at":null,"delay_seconds":null,"realtime":false,"status":"unknown",'
const REDUCED_TAIL = fragment(`${NOT_LIVE}"source":"gtfs"}`)
const HEADSIGN_START = fragment('"headsign":"')
const SCHEDULED_START = fragment('","scheduled_at":"')
const NOT_EXPECTED = fragment('","expected_at":null,"delay_seconds":null')
const EXPECTED_START = fragment('","expected_at":"')
const DELAY_START = fragment('","delay_seconds":')
const NO_DELAY = fragment('null')

/**
 * The part of a departure's JSON with its line and direction. `alone` ends before the headsign. `bySign` has a longer
 * fragment for each headsign, which ends with `"scheduled_at":"`.
 */
interface DirectionFragments {
  readonly alone: Uint8Array
  readonly bySign: Map<StringIndex, Uint8Array>
}

/**
 * The JSON at the end of rows with the same source: a feed or the timetable. The keys of both maps are platform codes.
 */
interface SourceFragments {
  /** The end of a row after its platform: `,"source":"…"}`. */
  readonly alone: Uint8Array
  readonly withoutVehicle: Map<StringIndex, Uint8Array>
  readonly withVehicle: Map<StringIndex, Uint8Array>
}

/** Writes departures from fragments for one snapshot. A fragment is made when it is first needed, and then reused. */
export class DepartureWriter {
  private readonly view: SnapshotRows
  private readonly stopHeads: Uint8Array[] = []
  private readonly directions: DirectionFragments[] = []
  private readonly reducedDirections: DirectionFragments[] = []
  private readonly tripHeads: Uint8Array[] = []
  private readonly liveTripHeads: Uint8Array[] = []
  private readonly kept = new KeptRows()
  private readonly keptReduced = new KeptRows()
  private readonly sources = new Map<string, SourceFragments>()
  private readonly timetableSource = sourceFragments('gtfs')

  constructor(view: SnapshotRows) {
    this.view = view
  }

  /** Appends the departures of a board. @param overlay the overlay with which the rows were listed */
  writeRows(out: JsonBytes, rows: BoardRows, overlay: Overlay | undefined): void {
    if (overlay !== undefined) this.kept.open(out, overlay, overlay.boards.call.length)
    for (let at = 0; at < rows.length; ) {
      if (overlay === undefined || !rows.isLive(at)) {
        this.writeScheduled(out, rows, at++)
        out.pushByte(COMMA)
        continue
      }
      const count = this.kept.push(out, rows, at)
      at += count
      if (count > 0) continue
      const start = out.size
      this.writeLive(out, overlay, rows.call[at])
      out.pushByte(COMMA)
      this.kept.keep(out, rows.boardRow[at++], start)
    }
    if (rows.length > 0) out.drop(1)
  }

  /** Like `writeRows`, for a group of departures near a point. These rows have fewer members. */
  writeReducedRows(out: JsonBytes, rows: BoardRows, overlay: Overlay | undefined): void {
    if (overlay !== undefined) this.keptReduced.open(out, overlay, overlay.boards.call.length)
    for (let at = 0; at < rows.length; ) {
      if (overlay === undefined || !rows.isLive(at)) {
        this.writeReducedScheduled(out, rows, at++)
        out.pushByte(COMMA)
        continue
      }
      const count = this.keptReduced.push(out, rows, at)
      at += count
      if (count > 0) continue
      const start = out.size
      this.writeReducedLive(out, overlay, rows.call[at])
      out.pushByte(COMMA)
      this.keptReduced.keep(out, rows.boardRow[at++], start)
    }
    if (rows.length > 0) out.drop(1)
  }

  private writeScheduled(out: JsonBytes, rows: BoardRows, at: number): void {
    const { timetable, localTime } = this.view
    const { patterns, trips, strings } = timetable
    const stop = rows.stop[at]
    const trip = rows.trip[at]
    const day = rows.day[at]
    const runStartSeconds = rows.runStartSeconds[at]
    const direction = patterns.direction[trips.pattern[trip]]
    out.push(this.stopHeads[stop] ?? this.renderStopHead(stop))
    this.writeDirection(out, direction, stopHeadsignIndex(timetable, trip, rows.position[at]))
    out.pushLocalTime(localTime, rows.seconds[at])
    out.push(this.tripHeads[day] ?? this.renderTripHead(day))
    out.pushPoolText(strings, trips.id[trip])
    if (runStartSeconds >= 0) out.pushText(runSuffix(runStartSeconds))
    out.push(this.withoutVehicle(this.timetableSource, stop))
  }

  private writeReducedScheduled(out: JsonBytes, rows: BoardRows, at: number): void {
    const { timetable, localTime } = this.view
    const stop = rows.stop[at]
    const trip = rows.trip[at]
    const direction = timetable.patterns.direction[timetable.trips.pattern[trip]]
    out.push(this.stopHeads[stop] ?? this.renderStopHead(stop))
    this.writeReducedDirection(out, direction, stopHeadsignIndex(timetable, trip, rows.position[at]))
    out.pushLocalTime(localTime, rows.seconds[at])
    out.push(REDUCED_TAIL)
  }

  private writeLive(out: JsonBytes, overlay: Overlay, call: LiveCallIndex): void {
    const { calls, instances, strings } = overlay
    const instance = calls.instance[call]
    const stop = calls.stop[call]
    const status = statusOfCall(overlay, call)
    out.push(this.stopHeads[stop] ?? this.renderStopHead(stop))
    const headsign = scheduledHeadsign(this.view.timetable, overlay, call)
    this.writeDirection(out, instances.direction[instance], headsign)
    if (headsign === undefined) this.writeLiveHeadsign(out, overlay, call)
    this.writeTimes(out, { overlay, call, status })
    out.push(STATES[status].withTrip)
    this.writeLiveTripId(out, overlay, instance)
    const source = this.sourceOf(overlay, instance, status)
    const vehicle = instances.vehicle[instance]
    if (vehicle === EMPTY_STRING) {
      out.push(this.withoutVehicle(source, stop))
      return
    }
    out.pushText(`","vehicle_id":"${this.view.slug}:vehicle:`)
    out.pushPoolText(strings, vehicle)
    const code = this.view.timetable.stops.platformCode[stop]
    out.push(source.withVehicle.get(code) ?? this.renderWithVehicle(source, code))
  }

  private writeReducedLive(out: JsonBytes, overlay: Overlay, call: LiveCallIndex): void {
    const { calls, instances } = overlay
    const instance = calls.instance[call]
    const stop = calls.stop[call]
    const status = statusOfCall(overlay, call)
    out.push(this.stopHeads[stop] ?? this.renderStopHead(stop))
    const headsign = scheduledHeadsign(this.view.timetable, overlay, call)
    this.writeReducedDirection(out, instances.direction[instance], headsign)
    if (headsign === undefined) this.writeLiveHeadsign(out, overlay, call)
    this.writeTimes(out, { overlay, call, status })
    out.push(STATES[status].alone)
    out.push(this.sourceOf(overlay, instance, status).alone)
  }

  /** Writes the value of `scheduled_at`, then the members `expected_at` and `delay_seconds`. */
  private writeTimes(
    out: JsonBytes,
    of: { readonly overlay: Overlay; readonly call: LiveCallIndex; readonly status: DepartureStatus },
  ): void {
    const { localTime } = this.view
    const { calls, meta } = of.overlay
    const scheduled = calls.scheduledDeparture[of.call]
    out.pushLocalTime(localTime, scheduled + meta.baseSeconds)
    if (!STATES[of.status].isExpected) {
      out.push(NOT_EXPECTED)
      return
    }
    const expected = calls.departure[of.call]
    out.push(EXPECTED_START)
    out.pushLocalTime(localTime, expected + meta.baseSeconds)
    out.push(DELAY_START)
    if (of.status === 'unscheduled') out.push(NO_DELAY)
    else out.pushNumber(expected - scheduled)
  }

  private writeLiveHeadsign(out: JsonBytes, overlay: Overlay, call: LiveCallIndex): void {
    out.push(HEADSIGN_START)
    out.pushText(JSON.stringify(liveHeadsign(this.view.timetable, overlay, call)).slice(1, -1))
    out.push(SCHEDULED_START)
  }

  /** Writes the public id of a live trip. */
  private writeLiveTripId(out: JsonBytes, { instances, strings }: Overlay, instance: InstanceIndex): void {
    const { slug, timetable } = this.view
    const own = instances.ref[instance]
    if (own !== EMPTY_STRING) {
      out.pushText(`${slug}:trip:`)
      return out.pushPoolText(strings, own)
    }
    const day = instances.day[instance]
    out.push(this.liveTripHeads[day] ?? this.renderLiveTripHead(day))
    out.pushPoolText(timetable.strings, timetable.trips.id[instances.trip[instance]])
    const runStartSeconds = instances.runStart[instance]
    if (runStartSeconds >= 0) out.pushText(runSuffix(runStartSeconds))
  }

  /**
   * The fragments for the feed that has live data for the call. If no feed has any, the fragments for the timetable.
   */
  private sourceOf({ instances, meta }: Overlay, instance: InstanceIndex, status: DepartureStatus): SourceFragments {
    const feed = STATES[status].isRealtime ? meta.feedIds[instances.feed[instance]] : undefined
    return feed === undefined ? this.timetableSource : this.sources.getOrInsertComputed(feed, sourceFragments)
  }

  /** The JSON at the end of a row without a vehicle. */
  private withoutVehicle(source: SourceFragments, stop: StopIndex): Uint8Array {
    const code = this.view.timetable.stops.platformCode[stop]
    return source.withoutVehicle.get(code) ?? this.renderWithoutVehicle(source, code)
  }

  /**
   * Writes a line and direction. If the headsign is a string in the timetable, also writes the headsign and the start
   * of `scheduled_at`.
   */
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
    const bytes = fragment(`${slug}:trip:${serviceDate(timetable, day)}:`)
    this.liveTripHeads[day] = bytes
    return bytes
  }

  private renderWithoutVehicle(source: SourceFragments, code: StringIndex): Uint8Array {
    const bytes = this.joinPlatform('","vehicle_id":null', source, code)
    source.withoutVehicle.set(code, bytes)
    return bytes
  }

  private renderWithVehicle(source: SourceFragments, code: StringIndex): Uint8Array {
    const bytes = this.joinPlatform('"', source, code)
    source.withVehicle.set(code, bytes)
    return bytes
  }

  private joinPlatform(start: string, { alone }: SourceFragments, code: StringIndex): Uint8Array {
    const platform = JSON.stringify(textOf(this.view.timetable.strings, code))
    return new Uint8Array(Buffer.concat([fragment(`${start},"platform":${platform}`), alone]))
  }

  /** The start of a row's JSON, up to its line. */
  stopHeadText(stop: StopIndex): string {
    return `{"stop_id":${JSON.stringify(stopId(this.view, stop))},`
  }

  private renderStopHead(stop: StopIndex): Uint8Array {
    const bytes = this.view.made?.find('stopHead', stop) ?? fragment(this.stopHeadText(stop))
    this.stopHeads[stop] = bytes
    return bytes
  }

  private renderDirection(direction: DirectionIndex): DirectionFragments {
    const alone = this.view.made?.find('direction', direction) ?? fragment(this.directionText(direction))
    const bytes = { alone, bySign: new Map() }
    this.directions[direction] = bytes
    return bytes
  }

  private renderReducedDirection(direction: DirectionIndex): DirectionFragments {
    const made = this.view.made?.find('reducedDirection', direction)
    const bytes = { alone: made ?? fragment(this.reducedDirectionText(direction)), bySign: new Map() }
    this.reducedDirections[direction] = bytes
    return bytes
  }

  /** The JSON of a line and direction, up to the headsign. */
  directionText(direction: DirectionIndex): string {
    const { lines, strings, directions } = this.view.timetable
    const line = directions.line[direction]
    return membersText({
      line_id: lineId(this.view, line),
      line_code: lineCode(this.view.timetable, line),
      line_name: textOf(strings, lines.name[line]),
      mode: modeWord(lines.mode[line]),
      color: colorText(lines.color[line]),
      text_color: colorText(lines.textColor[line]),
      direction_id: directionId(this.view, direction),
    })
  }

  /** Like `directionText`, for a group of departures near a point. */
  reducedDirectionText(direction: DirectionIndex): string {
    const { lines, directions } = this.view.timetable
    const line = directions.line[direction]
    return membersText({
      line_id: lineId(this.view, line),
      line_code: lineCode(this.view.timetable, line),
      mode: modeWord(lines.mode[line]),
    })
  }
}

/**
 * The JSON of a row's realtime and status members: `alone` has only these members, and `withTrip` also has the start of
 * the trip id.
 */
interface StateFragments {
  readonly isRealtime: boolean
  readonly isExpected: boolean
  readonly alone: Uint8Array
  readonly withTrip: Uint8Array
}

const STATES: Readonly<Record<DepartureStatus, StateFragments>> = {
  on_time: stateOf('on_time'),
  delayed: stateOf('delayed'),
  early: stateOf('early'),
  canceled: stateOf('canceled'),
  skipped: stateOf('skipped'),
  added: stateOf('added'),
  unscheduled: stateOf('unscheduled'),
  unknown: stateOf('unknown'),
}

function stateOf(status: DepartureStatus): StateFragments {
  const isRealtime = isRealtimeStatus(status)
  const text = `,"realtime":${isRealtime},"status":"${status}"`
  return {
    isRealtime,
    isExpected: isExpectedStatus(status),
    alone: fragment(text),
    withTrip: fragment(`${text},"trip_id":"`),
  }
}

function sourceFragments(source: string): SourceFragments {
  const alone = fragment(`,"source":${JSON.stringify(source)}}`)
  return { alone, withoutVehicle: new Map(), withVehicle: new Map() }
}

/** The JSON of an object without its braces, followed by a comma. */
function membersText(members: Readonly<Record<string, string>>): string {
  return `${JSON.stringify(members).slice(1, -1)},`
}
