// Journey ids: `<network>:journey:`, followed by packed data with which the journey can be found again. The data
// contains the trip of each ride, the calls at which riders board and alight, and the walks at the start and end of the
// journey. Journeys with the same trips, calls and walks have the same id.
import { changeWalk } from '../../indexes/journeys/stop-walks.ts'
import { walkSeconds } from '../../indexes/spatial/walking.ts'
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import { type TripInstance, tripRef } from '../../indexes/timetable/trips.ts'
import { textOf } from '../../loaders/strings.ts'
import { type CallKey, callKey, plannedCallKey } from './call-keys.ts'
import type { Journey, JourneyEnd, RideSection, Section, WalkSection } from './journey.ts'
import { PackedReader, PackedWriter } from './packed-bytes.ts'
import { dateText } from './timestamps.ts'

/**
 * The origin or destination of a journey, unless it is the stop at which the first ride starts or the last ride ends.
 */
export type EndKey =
  | { readonly kind: 'stop' | 'area'; readonly id: string }
  /** A point in degrees. `addressId` is empty if the point is not an address. */
  | { readonly kind: 'point'; readonly lat: number; readonly lon: number; readonly addressId: string }

/**
 * Length and duration of a walk. The id contains them because they cannot be derived from the two ends of the walk
 * alone.
 */
export interface WalkKey {
  readonly meters: number
  readonly seconds: number
}

/** A ride in a journey id. */
export interface RideKey {
  readonly tripRef: string
  readonly boarding: CallKey
  readonly alighting: CallKey
  readonly staysSeated: boolean
  /**
   * The walk from the previous ride, if it differs from the network's usual walk between the two stops; otherwise
   * undefined.
   */
  readonly walk: WalkKey | undefined
}

/** The content of a journey id. */
export interface JourneyKey {
  readonly access: { readonly end: EndKey; readonly walk: WalkKey } | undefined
  /** For a journey that is only a walk, `access` has the walk and its origin, and `egress` has its destination. */
  readonly egress: { readonly end: EndKey; readonly walk: WalkKey } | undefined
  readonly rides: readonly RideKey[]
}

const VERSION = 1
const HAS_ACCESS = 1
const HAS_EGRESS = 2
const FLAG_COUNT = 4
const STAYS_SEATED = 1
const HAS_WALK = 2
const SAME_DATE = 4
const END_KINDS = ['stop', 'area', 'point'] as const
/** 2015-01-01, in days since 1970-01-01. Ids count days from this date. */
const FIRST_DAY = 16_436
const MILLIS_PER_DAY = 86_400_000
const DATE_LENGTH = 8
/** Coordinates are stored as multiples of this fraction of a degree, which is about 0.1 m. */
const DEGREE_PARTS = 1e6
/**
 * Maximum size of the packed data, so that ids stay below 1 kB. If a journey has more data, its id is a hash, with
 * which the journey cannot be requested again.
 */
const MOST_BYTES = 690

/** The local part of a journey's id. */
export function journeyRef(timetable: Timetable, journey: Journey): string {
  const key = keyOf(timetable, journey)
  const packed = pack(key)
  if (packed !== undefined) return packed
  return Bun.hash.wyhash(JSON.stringify(key)).toString(36).padStart(13, '0')
}

/**
 * The local part of the id of a journey that consists of one scheduled ride; undefined if the data cannot be packed.
 */
export function plannedRideRef(
  timetable: Timetable,
  instance: TripInstance,
  { from, to }: { readonly from: number; readonly to: number },
): string | undefined {
  const [boarding, alighting] = [from, to].map((place) => plannedCallKey(timetable, instance.trip, place))
  if (boarding === undefined || alighting === undefined) return undefined
  const ride = { tripRef: tripRef(timetable, instance), boarding, alighting, staysSeated: false, walk: undefined }
  return pack({ access: undefined, egress: undefined, rides: [ride] })
}

/** Decodes the local part of a journey id; undefined if it is malformed. */
export function readJourneyRef(ref: string): JourneyKey | undefined {
  const reader = new PackedReader(ref)
  const head = reader.number()
  const rideCount = reader.number()
  const access = (head & HAS_ACCESS) === 0 ? undefined : { end: readEnd(reader), walk: readWalk(reader) }
  const rides: RideKey[] = []
  for (let at = 0; at < rideCount && !reader.isAtEnd; at++) rides.push(readRide(reader, rides.at(-1)))
  const egress = (head & HAS_EGRESS) === 0 ? undefined : { end: readEnd(reader), walk: readWalk(reader) }
  const key = { access, egress, rides }
  const isWhole = rides.length > 0 || (access !== undefined && egress !== undefined)
  // Each key has exactly one encoding. Any other string that decodes to the key is not a valid id.
  return isWhole && pack(key) === ref ? key : undefined
}

function pack({ access, egress, rides }: JourneyKey): string | undefined {
  const writer = new PackedWriter()
  const flags = (access === undefined ? 0 : HAS_ACCESS) + (egress === undefined ? 0 : HAS_EGRESS)
  writer.number(VERSION * FLAG_COUNT + flags)
  writer.number(rides.length)
  if (access !== undefined) writeEnd(writer, access)
  for (const [at, ride] of rides.entries()) {
    if (dayOf(ride.tripRef.slice(0, DATE_LENGTH)) === undefined) return undefined
    writeRide(writer, ride, rides[at - 1])
  }
  if (egress !== undefined) writeEnd(writer, egress)
  return writer.length <= MOST_BYTES ? writer.toText() : undefined
}

function writeEnd(writer: PackedWriter, { end, walk }: { readonly end: EndKey; readonly walk: WalkKey }): void {
  writer.number(END_KINDS.indexOf(end.kind))
  if (end.kind === 'point') {
    writer.signed(Math.round(end.lat * DEGREE_PARTS))
    writer.signed(Math.round(end.lon * DEGREE_PARTS))
    writer.text(end.addressId)
  } else writer.text(end.id)
  writeWalk(writer, walk)
}

function readEnd(reader: PackedReader): EndKey {
  const kind = END_KINDS[reader.number()] ?? 'stop'
  if (kind !== 'point') return { kind, id: reader.text() }
  const [lat, lon] = [reader.signed() / DEGREE_PARTS, reader.signed() / DEGREE_PARTS]
  return { kind, lat, lon, addressId: reader.text() }
}

function writeWalk(writer: PackedWriter, { meters, seconds }: WalkKey): void {
  writer.number(meters)
  writer.signed(seconds - walkSeconds(meters))
}

function readWalk(reader: PackedReader): WalkKey {
  const meters = reader.number()
  return { meters, seconds: reader.signed() + walkSeconds(meters) }
}

function writeRide(writer: PackedWriter, ride: RideKey, before: RideKey | undefined): void {
  const { tripRef, boarding, alighting, staysSeated, walk } = ride
  const date = tripRef.slice(0, DATE_LENGTH)
  const isSameDate = before?.tripRef.startsWith(date) ?? false
  writer.number((staysSeated ? STAYS_SEATED : 0) + (walk === undefined ? 0 : HAS_WALK) + (isSameDate ? SAME_DATE : 0))
  if (walk !== undefined) writeWalk(writer, walk)
  if (!isSameDate) writer.signed((dayOf(date) ?? FIRST_DAY) - FIRST_DAY)
  writer.text(tripRef.slice(DATE_LENGTH), before?.tripRef.slice(DATE_LENGTH))
  writer.number(boarding.place)
  writer.number(boarding.stopHash)
  writer.signed(alighting.place - boarding.place)
  writer.number(alighting.stopHash)
}

function readRide(reader: PackedReader, before: RideKey | undefined): RideKey {
  const flags = reader.number()
  const walk = (flags & HAS_WALK) === 0 ? undefined : readWalk(reader)
  const date =
    (flags & SAME_DATE) !== 0 && before !== undefined
      ? before.tripRef.slice(0, DATE_LENGTH)
      : toDate(reader.signed() + FIRST_DAY)
  const tripRef = date + reader.text(before?.tripRef.slice(DATE_LENGTH))
  const boarding = { place: reader.number(), stopHash: reader.number() }
  const alighting = { place: boarding.place + reader.signed(), stopHash: reader.number() }
  return { tripRef, boarding, alighting, staysSeated: (flags & STAYS_SEATED) !== 0, walk }
}

/**
 * The last date passed to `dayOf`, and its day. It is cached because most rides in a list of journeys have the same
 * date.
 */
let known: { readonly date: string; readonly day: number | undefined } = { date: '', day: undefined }

/** Number of days from 1970-01-01 to a date `yyyymmdd`; undefined if the date is invalid. */
function dayOf(date: string): number | undefined {
  if (date !== known.date) {
    const millis = Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6)))
    const day = Number.isNaN(millis) ? undefined : millis / MILLIS_PER_DAY
    known = { date, day: day !== undefined && toDate(day) === date ? day : undefined }
  }
  return known.day
}

/** The date `yyyymmdd` of a day counted from 1970-01-01; empty if the day is far out of range. */
function toDate(day: number): string {
  return Math.abs(day) < MOST_DAYS ? dateText(day).replaceAll('-', '') : ''
}

/** Limit on days since 1970-01-01, far beyond the year 9999. */
const MOST_DAYS = 10_000_000

function keyOf(timetable: Timetable, { sections }: Journey): JourneyKey {
  const [first] = sections
  const last = sections.at(-1)
  const walkAt = (section: Section | undefined) => (section?.kind === 'walk' ? section : undefined)
  const [before, behind] = [walkAt(first), walkAt(last)]
  return {
    access: before && { end: endKey(timetable, before.from), walk: walkKey(before) },
    egress: behind && { end: endKey(timetable, behind.to), walk: walkKey(behind) },
    rides: sections.flatMap((section, at) => {
      if (section.kind === 'walk') return []
      const between = walkAt(sections[at - 1])
      const earlier = sections[between === undefined ? at - 1 : at - 2]
      const isChange = earlier?.kind === 'ride' && !section.staysSeated
      const usual = isChange
        ? changeWalk(timetable, earlier.stops[earlier.stops.length - 1], section.stops[0])
        : undefined
      const walk = usual && unusualWalk(usual, between, section)
      return [rideKey(timetable, section, walk)]
    }),
  }
}

/**
 * The walk of a transfer, if it differs from the usual walk between the two stops; otherwise undefined. If a walk would
 * end after the departure, the planner ends the walk at the departure. So a shorter duration does not count as a
 * difference if the walk ends exactly at the departure.
 */
function unusualWalk(usual: WalkKey, between: WalkSection | undefined, ride: RideSection): WalkKey | undefined {
  const walk = between === undefined ? { meters: 0, seconds: 0 } : walkKey(between)
  const isCut = between?.arrives === ride.departs && walk.seconds < usual.seconds
  return walk.meters === usual.meters && (walk.seconds === usual.seconds || isCut) ? undefined : walk
}

function walkKey({ meters, departs, arrives }: WalkSection): WalkKey {
  return { meters, seconds: arrives - departs }
}

function endKey({ strings, stops, areas }: Timetable, { lat, lon, place, addressId = '' }: JourneyEnd): EndKey {
  if (place === undefined) return { kind: 'point', lat, lon, addressId }
  const { kind } = place
  return { kind, id: textOf(strings, place.kind === 'stop' ? stops.id[place.stop] : areas.id[place.area]) }
}

function rideKey(timetable: Timetable, ride: RideSection, walk: WalkKey | undefined): RideKey {
  const { tripRef, stops, staysSeated } = ride
  const [boarding, alighting] = [callKey(timetable, ride, 0), callKey(timetable, ride, stops.length - 1)]
  return { tripRef, boarding, alighting, staysSeated, walk }
}
