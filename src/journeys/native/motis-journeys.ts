// Converts MOTIS itineraries to journeys. A journey has rides in trips of the network, with times to the second, and
// the walks between them. An itinerary is dropped if one of its rides is not in the network, or if riders would miss a
// transfer according to the exact times.
import { walkMeters } from '../../../indexes/spatial/walking.ts'
import { MODES } from '../../../indexes/timetable/modes.ts'
import { areaOfStop } from '../../../indexes/timetable/stops.ts'
import type { StopIndex, Timetable } from '../../../indexes/timetable/timetable.ts'
import type { JourneyEnd } from '../../rendering/journey.ts'
import {
  endAt,
  type Journey,
  type RideSection,
  ridesOf,
  type Section,
  toJourney,
  type WalkSection,
} from '../../rendering/journey.ts'
import { decodeMotisAnswer, type MotisItinerary, type MotisLeg } from './motis-answer.ts'
import { type MotisGround, toRide } from './motis-rides.ts'

/** The query that the journeys must answer. */
export interface MotisQuestion {
  readonly from: JourneyEnd
  readonly to: JourneyEnd
  /** Seconds after 1970. */
  readonly seconds: number
  readonly isArriveBy: boolean
  readonly modes: readonly string[] | undefined
  readonly maxWalkMeters: number
  /** Maximum number of transfers. */
  readonly maxTransfers: number
}

/** The length and duration of the walk between two rides. */
interface Stretch {
  readonly meters: number
  readonly seconds: number
}

const NO_WALK: Stretch = { meters: 0, seconds: 0 }

/**
 * Returns the journeys in an answer that fulfill the request, in the order of the answer. Returns undefined if the
 * answer is invalid. Also returns undefined if the answer has itineraries but none of them is in the network, because
 * Quai and MOTIS then use different data.
 */
export function readMotisJourneys(
  ground: MotisGround,
  question: MotisQuestion,
  body: Uint8Array,
): Journey[] | undefined {
  const answer = decodeMotisAnswer(body)
  if (answer === undefined) return undefined
  const ridden = answer.itineraries.flatMap((one) => (one && toKnown(ground, question, one)) ?? [])
  if (ridden.length === 0 && answer.itineraries.length > 0) return undefined
  const walked = answer.direct.flatMap((one) => (one && toWalked(question, one)) ?? [])
  return [...ridden, ...walked].filter((journey) => fitsQuestion(ground.timetable, question, journey))
}

/**
 * Converts an itinerary to a journey with rides, and walks before, between and after them. Undefined if a ride is not
 * in the network or departs before the previous ride arrives.
 */
function toKnown(ground: MotisGround, question: MotisQuestion, itinerary: MotisItinerary): Journey | undefined {
  const { timetable } = ground
  const { from, to } = question
  const sections: Section[] = []
  let before: RideSection | undefined
  let walked = NO_WALK
  for (const leg of itinerary) {
    if (leg.mode === 'WALK') {
      walked = add(walked, leg)
      continue
    }
    const ride = toRide(ground, leg)
    if (ride === undefined || (before !== undefined && ride.departs < before.arrives)) return undefined
    const walk =
      before === undefined ? walkTo(timetable, from, walked, ride) : walkBetween(timetable, before, walked, ride)
    const staysSeated = ride.staysSeated && before !== undefined
    const isChange = before !== undefined && !staysSeated
    const changeSeconds = isChange ? walked.seconds + ground.changeSeconds : undefined
    sections.push(...walk, { ...ride, staysSeated, changeSeconds })
    before = ride
    walked = NO_WALK
  }
  if (before === undefined) return toWalked(question, itinerary)
  return toJourney([...sections, ...walkFrom(timetable, before, walked, to)])
}

function add({ meters, seconds }: Stretch, leg: MotisLeg): Stretch {
  return {
    meters: meters + Math.round(leg.meters ?? walkMeters(leg.from, leg.to)),
    seconds: seconds + leg.ends - leg.starts,
  }
}

/** The walk to the first stop, as late as possible; empty if the stop is the origin itself. */
function walkTo(
  timetable: Timetable,
  from: JourneyEnd,
  { meters, seconds }: Stretch,
  ride: RideSection,
): WalkSection[] {
  const stop = ride.stops[0]
  if (meters === 0 || isAt(timetable, from, stop)) return []
  const arrives = ride.departs
  return [{ kind: 'walk', from, to: stopEnd(timetable, stop), departs: arrives - seconds, arrives, meters }]
}

/** The walk from the last stop, right after alighting; empty if the stop is the destination itself. */
function walkFrom(
  timetable: Timetable,
  ride: RideSection,
  { meters, seconds }: Stretch,
  to: JourneyEnd,
): WalkSection[] {
  const stop = ride.stops[ride.stops.length - 1]
  if (meters === 0 || isAt(timetable, to, stop)) return []
  const departs = ride.arrives
  return [{ kind: 'walk', from: stopEnd(timetable, stop), to, departs, arrives: departs + seconds, meters }]
}

/**
 * The walk of a transfer, right after alighting. MOTIS rounds times to minutes, so the exact times may leave less time
 * for the walk than MOTIS reports.
 */
function walkBetween(
  timetable: Timetable,
  before: RideSection,
  { meters, seconds }: Stretch,
  ride: RideSection,
): WalkSection[] {
  const [start, end] = [before.stops[before.stops.length - 1], ride.stops[0]]
  if (meters === 0 || start === end || ride.staysSeated) return []
  const departs = before.arrives
  const arrives = Math.min(departs + seconds, ride.departs)
  return [{ kind: 'walk', from: stopEnd(timetable, start), to: stopEnd(timetable, end), departs, arrives, meters }]
}

/** A journey that is only a walk: it departs, or arrives, exactly at the requested time. */
function toWalked(question: MotisQuestion, itinerary: MotisItinerary): Journey | undefined {
  if (itinerary.some(({ mode }) => mode !== 'WALK')) return undefined
  const { from, to, seconds: moment, isArriveBy } = question
  const { meters, seconds } = itinerary.reduce(add, NO_WALK)
  if (meters === 0) return undefined
  const departs = isArriveBy ? moment - seconds : moment
  return toJourney([{ kind: 'walk', from, to, departs, arrives: departs + seconds, meters }])
}

/** Whether a journey respects the requested time, modes, number of transfers, and longest walk to and from stops. */
function fitsQuestion(
  { lines }: Timetable,
  question: MotisQuestion,
  { sections, departs, arrives, transfers }: Journey,
): boolean {
  const { seconds, isArriveBy, modes, maxWalkMeters } = question
  if (isArriveBy ? arrives > seconds : departs < seconds) return false
  if (transfers > question.maxTransfers) return false
  const ends = [sections[0], sections.at(-1)]
  if (ends.some((end) => end?.kind === 'walk' && end.meters > maxWalkMeters)) return false
  return modes === undefined || ridesOf(sections).every(({ line }) => modes.includes(MODES[lines.mode[line]] ?? ''))
}

function isAt(timetable: Timetable, { place }: JourneyEnd, stop: StopIndex): boolean {
  if (place === undefined) return false
  return place.kind === 'stop' ? place.stop === stop : areaOfStop(timetable, stop) === place.area
}

function stopEnd(timetable: Timetable, stop: StopIndex): JourneyEnd {
  return endAt(timetable, { kind: 'stop', stop })
}
