// The demo's trips: when they depart, according to the hours and headways of each kind of line, and which vehicles run
// them.
import { SERVICES, type Service } from './calendar.ts'
import type { Pattern } from './patterns.ts'
import type { Rhythm, RosterLine } from './roster.ts'
import { below, seededRandom } from './seeded-random.ts'

/** A trip. */
export interface CityTrip {
  readonly id: string
  /** Index in the list of patterns. */
  readonly pattern: number
  readonly service: Service
  /** Departure from the pattern's first call, in seconds since the service day's zero (local noon minus 12 hours). */
  readonly startSeconds: number
  /** How much the traffic slows the trip down: the number of steps of PACE_STEP above PACE_BASE; see `paceFactor`. */
  readonly pace: number
  /** The block of the trip's vehicle; empty if no vehicle is assigned. */
  block: string
}

/** A line's headways in minutes, one for each range of hours after the service day's zero. */
type Hours = readonly (readonly [fromHour: number, toHour: number, headwayMinutes: number])[]

const SHUTTLE_HOURS: Hours = [
  [7, 9.5, 8],
  [9.5, 16, 10],
  [16, 19, 8],
  [19, 21, 15],
]

const HOURS: Readonly<Record<Rhythm, Partial<Readonly<Record<Service, Hours>>>>> = {
  metro: {
    semaine: [
      [5, 7, 8],
      [7, 9.5, 5],
      [9.5, 16, 7],
      [16, 19.5, 5],
      [19.5, 22, 8],
      [22, 24.6, 12],
    ],
    samedi: [
      [5, 9, 10],
      [9, 20, 7],
      [20, 25.6, 12],
    ],
    dimanche: [
      [6, 10, 12],
      [10, 20, 10],
      [20, 24.4, 15],
    ],
  },
  tram: {
    semaine: [
      [4.8, 7, 15],
      [7, 9, 9],
      [9, 16, 12],
      [16, 19, 9],
      [19, 21.5, 15],
      [21.5, 24.5, 25],
    ],
    samedi: [
      [5, 9, 18],
      [9, 19.5, 12],
      [19.5, 25, 25],
    ],
    dimanche: [
      [6, 10, 30],
      [10, 20, 18],
      [20, 24.2, 30],
    ],
  },
  main: {
    semaine: [
      [5.2, 7, 20],
      [7, 9, 12],
      [9, 16, 18],
      [16, 19, 12],
      [19, 21.5, 25],
      [21.5, 23.5, 40],
    ],
    samedi: [
      [6, 9, 25],
      [9, 19, 20],
      [19, 23.5, 40],
    ],
    dimanche: [
      [7, 20, 35],
      [20, 23, 45],
    ],
  },
  local: {
    semaine: [
      [5.5, 7, 30],
      [7, 9, 18],
      [9, 16, 30],
      [16, 19, 18],
      [19, 21.5, 40],
    ],
    samedi: [[6.5, 20, 30]],
    dimanche: [[8, 20, 60]],
  },
  minor: {
    semaine: [
      [6, 9, 30],
      [9, 16, 60],
      [16, 19.5, 30],
    ],
    samedi: [[7, 19, 60]],
  },
  express: {
    semaine: [[4.5, 22.5, 20]],
    samedi: [[5, 22.5, 30]],
    dimanche: [[5, 22.5, 30]],
  },
  night: {
    semaine: [[23.5, 29, 60]],
    samedi: [[23.5, 29, 60]],
    dimanche: [[23.5, 29, 60]],
    'nuits-fin-de-semaine': [[24, 28.5, 60]],
  },
  ferry: {
    semaine: [[6.5, 20, 30]],
    samedi: [[8, 21, 30]],
    dimanche: [[9, 20, 40]],
  },
  shuttle: { semaine: SHUTTLE_HOURS, samedi: SHUTTLE_HOURS },
}

/** One row of frequencies.txt. */
export interface HeadwayRun {
  readonly trip: string
  readonly startSeconds: number
  readonly endSeconds: number
  readonly headwaySeconds: number
}

/** All trips and headways. */
export interface Departures {
  readonly trips: readonly CityTrip[]
  /** The headways at which template trips repeat. Empty if no line has a template trip. */
  readonly headways: readonly HeadwayRun[]
}

/** By how much one step of pace changes the factor for run times. */
const PACE_STEP = 0.02
const PACE_BASE = 0.86
/**
 * A bus's run time by hour, as a multiple of its run time without traffic. Values between the hours are interpolated
 * linearly.
 */
const TRAFFIC: readonly (readonly [hour: number, factor: number])[] = [
  [0, 0.9],
  [5, 0.9],
  [7, 1],
  [8.2, 1.12],
  [9.6, 1],
  [12, 1.03],
  [15.5, 1.03],
  [17.6, 1.16],
  [19.6, 1],
  [21.5, 0.92],
  [24, 0.88],
  [36, 0.88],
]
const LAYOVER_SECONDS = 240

/** The factor that turns run times without traffic into the run times at a pace. */
function paceFactor(pace: number): number {
  return PACE_BASE + pace * PACE_STEP
}

/** The trips of all lines. Trips of one line and service are consecutive. */
export function scheduleTrips(seed: number, roster: readonly RosterLine[], patterns: readonly Pattern[]): Departures {
  const trips: CityTrip[] = []
  const headways: HeadwayRun[] = []
  const patternsOf: number[][] = roster.map(() => [])
  for (const [number, pattern] of patterns.entries()) patternsOf[pattern.line].push(number)
  for (const [number, line] of roster.entries()) {
    const random = seededRandom(seed, `departures ${line.id}`)
    for (const [serviceNumber, service] of SERVICES.entries()) {
      const hours = HOURS[line.rhythm][service]
      if (hours === undefined) continue
      const idStart = `${line.id.replaceAll(' ', '')}-${'SWDN'[serviceNumber]}`
      const ofService: CityTrip[] = []
      for (const direction of [0, 1] as const) {
        const choices = patternsOf[number].filter((each) => patterns[each].direction === direction)
        const plan = { line, service, patterns, choices, idStart: `${idStart}${direction}` }
        if (line.role === 'shuttle') ofService.push(...repeatTrips(plan, hours, headways))
        else ofService.push(...listTrips(plan, listStarts(hours, below(random, 8))))
      }
      if (line.role !== 'shuttle') assignBlocks(ofService, patterns, idStart)
      for (const trip of ofService) trips.push(trip)
    }
  }
  return { trips, headways }
}

interface ServicePlan {
  readonly line: RosterLine
  readonly service: Service
  readonly patterns: readonly Pattern[]
  /** Indexes of the direction's patterns. The full pattern is first. */
  readonly choices: readonly number[]
  readonly idStart: string
}

function listStarts(hours: Hours, lateMinutes: number): number[] {
  const starts: number[] = []
  let at = Math.round(hours[0][0] * 60) + lateMinutes
  for (const [, toHour, headway] of hours) {
    for (; at < toHour * 60; at += headway) starts.push(at * 60)
  }
  return starts
}

/**
 * Makes one trip for each start. If the line has a branch, every second trip takes the branch. If the line has a short
 * pattern, a third of the trips in peak hours and late in the evening use it.
 */
function listTrips(plan: ServicePlan, starts: readonly number[]): CityTrip[] {
  return starts.map((start, index) => {
    const hour = start / 3600
    const isCrowded = (hour >= 7 && hour < 9) || (hour >= 16.5 && hour < 19) || hour >= 23
    const others = plan.choices.slice(1)
    const isOther = others.length > 0 && choosesOther(plan.patterns[others[0]].kind, index, isCrowded)
    const pattern = isOther ? others[0] : plan.choices[0]
    const startSeconds = start + Math.round(plan.patterns[pattern].lagSeconds / 60) * 60
    return {
      id: `${plan.idStart}-${String(index + 1).padStart(3, '0')}`,
      pattern,
      service: plan.service,
      startSeconds,
      pace: plan.line.mode === 'bus' ? paceAt(startSeconds) : FREE_PACE,
      block: '',
    }
  })
}

function choosesOther(kind: Pattern['kind'], index: number, isCrowded: boolean): boolean {
  return kind === 'branch' ? index % 2 === 1 : isCrowded && index % 3 === 2
}

/** Returns a single template trip, and adds to `headways` the hours and headways at which this trip repeats. */
function repeatTrips(plan: ServicePlan, hours: Hours, headways: HeadwayRun[]): CityTrip[] {
  const trip = `${plan.idStart}-001`
  for (const [fromHour, toHour, headwayMinutes] of hours) {
    const startSeconds = fromHour * 3600
    headways.push({ trip, startSeconds, endSeconds: toHour * 3600, headwaySeconds: headwayMinutes * 60 })
  }
  const startSeconds = hours[0][0] * 3600
  return [{ id: trip, pattern: plan.choices[0], service: plan.service, startSeconds, pace: FREE_PACE, block: '' }]
}

const FREE_PACE = Math.round((1 - PACE_BASE) / PACE_STEP)

function paceAt(seconds: number): number {
  const hour = seconds / 3600
  const next = Math.max(
    1,
    TRAFFIC.findIndex(([from]) => from > hour),
  )
  const [fromHour, fromFactor] = TRAFFIC[next - 1]
  const [toHour, toFactor] = TRAFFIC[next]
  const factor = fromFactor + ((toFactor - fromFactor) * (hour - fromHour)) / (toHour - fromHour)
  return Math.max(0, Math.round((factor - PACE_BASE) / PACE_STEP))
}

/** Assigns each trip to a vehicle that waits at the trip's first stop, or to a new vehicle if none waits there. */
function assignBlocks(trips: readonly CityTrip[], patterns: readonly Pattern[], idStart: string): void {
  const waiting = new Map<number, { block: string; fromSeconds: number }[]>()
  let blocks = 0
  for (const trip of trips.toSorted((a, b) => a.startSeconds - b.startSeconds)) {
    const pattern = patterns[trip.pattern]
    const vehicles = waiting.get(pattern.firstArea) ?? []
    const ready = vehicles.findIndex((each) => each.fromSeconds <= trip.startSeconds)
    const vehicle = ready >= 0 ? vehicles.splice(ready, 1)[0] : undefined
    trip.block = vehicle?.block ?? `${idStart}-V${++blocks}`
    waiting
      .getOrInsertComputed(pattern.lastArea, () => [])
      .push({
        block: trip.block,
        fromSeconds: trip.startSeconds + durationSeconds(pattern, trip.pace) + LAYOVER_SECONDS,
      })
  }
}

/** Seconds from a trip's start to its last arrival. */
function durationSeconds(pattern: Pattern, pace: number): number {
  const factor = paceFactor(pace)
  let at = 0
  for (const { runSeconds, dwellSeconds } of pattern.calls) at = Math.round(at + runSeconds * factor) + dwellSeconds
  return at
}

/** Arrival and departure of each call, two values per call, in seconds since the trip's start. */
export function callTimes(pattern: Pattern, pace: number): number[] {
  const factor = paceFactor(pace)
  const times: number[] = []
  let at = 0
  for (const call of pattern.calls) {
    const arrival = Math.round(at + call.runSeconds * factor)
    times.push(arrival, arrival + call.dwellSeconds)
    at = arrival + call.dwellSeconds
  }
  return times
}
