// Reads the answer of MOTIS 2 to a `plan` request. Checks the members that journeys need, and converts them to plain
// values.
//
// Source: openapi.yaml of motis-project/motis (`/api/v1/plan`, schemas Itinerary, Leg, Place). Later versions of this
// path add members and rename modes. They do not change the meaning of the members read here.
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/** A string that MOTIS omits or writes as null if it is unknown. */
const MaybeText = Type.Optional(Type.Union([Type.String(), Type.Null()]))

/** A leg is invalid if its duration, its delay or its length exceeds these values. */
const LONGEST_LEG_SECONDS = 172_800
const LONGEST_DELAY_SECONDS = 86_400
const LONGEST_LEG_METERS = 5_000_000

const PlaceSchema = Type.Object({
  lat: Type.Number({ minimum: -90, maximum: 90 }),
  lon: Type.Number({ minimum: -180, maximum: 180 }),
  stopId: MaybeText,
})

const LegSchema = Type.Object({
  mode: Type.String(),
  from: PlaceSchema,
  to: PlaceSchema,
  startTime: Type.String(),
  endTime: Type.String(),
  scheduledStartTime: Type.String(),
  scheduledEndTime: Type.String(),
  realTime: Type.Boolean(),
  distance: Type.Optional(Type.Union([Type.Number({ minimum: 0, maximum: LONGEST_LEG_METERS }), Type.Null()])),
  interlineWithPreviousLeg: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  cancelled: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  headsign: MaybeText,
  tripId: MaybeText,
  routeId: MaybeText,
  routeShortName: MaybeText,
})

const ItinerarySchema = Type.Object({ legs: Type.Array(LegSchema, { minItems: 1 }) })
const AnswerSchema = Type.Object({
  itineraries: Type.Array(Type.Unknown()),
  direct: Type.Optional(Type.Array(Type.Unknown())),
})

/** Where a leg starts or ends. */
export interface MotisPlace {
  /** Latitude and longitude in degrees. */
  readonly lat: number
  readonly lon: number
  /** `<tag of the data set>_<the feed's id>`; undefined if the place is not a stop. */
  readonly stopId: string | undefined
}

/** A leg of an itinerary. Instants are seconds after 1970, at whole minutes. */
export interface MotisLeg {
  /** `WALK`, another mode without a timetable such as `BIKE`, or a mode of transit such as `BUS`. */
  readonly mode: string
  readonly from: MotisPlace
  readonly to: MotisPlace
  readonly starts: number
  readonly ends: number
  readonly scheduledStart: number
  readonly scheduledEnd: number
  readonly isRealtime: boolean
  /** Length of a walk in meters; undefined if MOTIS does not give it. */
  readonly meters: number | undefined
  /** Whether the vehicle is the same as in the previous leg. */
  readonly staysSeated: boolean
  readonly headsign: string
  /** `<yyyymmdd>_<hh:mm>_<tag>_<the feed's id>`. */
  readonly tripId: string | undefined
  /** `<tag>_<the feed's id>`; some versions of MOTIS omit it. */
  readonly routeId: string | undefined
  readonly routeShortName: string | undefined
}

/** One itinerary from origin to destination. */
export type MotisItinerary = readonly MotisLeg[]

/** An answer; an itinerary that is malformed or canceled is undefined. */
export interface MotisAnswer {
  readonly itineraries: readonly (MotisItinerary | undefined)[]
  /** Itineraries without transit, at the requested time. */
  readonly direct: readonly (MotisItinerary | undefined)[]
}

/** Parses the body of an answer; undefined if it is invalid. */
export function decodeMotisAnswer(body: Uint8Array): MotisAnswer | undefined {
  const value = parseJson(body)
  if (!Value.Check(AnswerSchema, value)) return undefined
  return { itineraries: value.itineraries.map(toItinerary), direct: (value.direct ?? []).map(toItinerary) }
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function toItinerary(value: unknown): MotisItinerary | undefined {
  if (!Value.Check(ItinerarySchema, value) || value.legs.some(({ cancelled }) => cancelled === true)) return undefined
  const legs = value.legs.map(toLeg)
  return legs.every(isSound) ? legs : undefined
}

/** Whether the times of a leg are valid and plausible. An invalid time is NaN, with which all comparisons are false. */
function isSound({ starts, ends, scheduledStart, scheduledEnd }: MotisLeg): boolean {
  return (
    starts <= ends &&
    ends - starts <= LONGEST_LEG_SECONDS &&
    scheduledStart <= scheduledEnd &&
    Math.abs(starts - scheduledStart) <= LONGEST_DELAY_SECONDS &&
    Math.abs(ends - scheduledEnd) <= LONGEST_DELAY_SECONDS
  )
}

function toLeg(leg: Static<typeof LegSchema>): MotisLeg {
  return {
    mode: leg.mode,
    from: toPlace(leg.from),
    to: toPlace(leg.to),
    starts: secondsOf(leg.startTime),
    ends: secondsOf(leg.endTime),
    scheduledStart: secondsOf(leg.scheduledStartTime),
    scheduledEnd: secondsOf(leg.scheduledEndTime),
    isRealtime: leg.realTime,
    meters: leg.distance ?? undefined,
    staysSeated: leg.interlineWithPreviousLeg ?? false,
    headsign: leg.headsign ?? '',
    tripId: leg.tripId ?? undefined,
    routeId: leg.routeId ?? undefined,
    routeShortName: leg.routeShortName ?? undefined,
  }
}

function toPlace({ lat, lon, stopId }: Static<typeof PlaceSchema>): MotisPlace {
  return { lat, lon, stopId: stopId ?? undefined }
}

/** Parses an instant to seconds after 1970; NaN if the text is not an instant, which makes the leg invalid. */
function secondsOf(text: string): number {
  return Math.floor(Date.parse(text) / 1000)
}
