// Plans the runs of a service day, without vehicles: the timetable's trips and the runs of frequency-based trips, some
// of them disrupted, and the day's extra runs.
import type { CityParts } from '../city-tables.ts'
import { type CityTrip, callTimes } from '../departures.ts'
import { below, pick, type Random, seededRandom } from '../seeded-random.ts'
import { callCountOf, type PlannedRun, type PositionRange, type RunKind } from './run.ts'

/** The service day for which runs are planned, and the seed of all its random choices. */
export interface DayOrder {
  readonly parts: CityParts
  readonly seed: number
  /** Days since 1970-01-01. */
  readonly day: number
  /** The day as YYYYMMDD. */
  readonly date: string
  /** Names of the services that run on the day. */
  readonly services: ReadonlySet<string>
}

/** A run appears in the feed this many seconds before its start. */
export const AHEAD_SECONDS = 1800
/** The longest possible time between the publication of a cancellation and the planned start of the run, in seconds. */
export const EARLIEST_NOTICE_SECONDS = 3 * 3600

const CANCELED_SHARE = 0.015
const SKIPPING_SHARE = 0.012
const MOVED_SHARE = 0.03
/** Only runs with at least this many calls skip stops. */
const MIN_CALLS_TO_SKIP = 6
/** Length of a line's radio hole (where vehicles report nothing), as a share of the run's calls. */
const HOLE_SHARE = 0.35
const LINES_WITH_HOLES = 2
/** An extra run starts this long after the run that it relieves, in seconds. */
const EXTRA_SECONDS = 240
/** A duplicated run starts this long after its original, in seconds. */
const COPY_SECONDS = 300
/** Hours in which crowded lines get extra runs: `RUSH_HOURS` on weekdays, `LEISURE_HOURS` on other days. */
const RUSH_HOURS = [7, 8, 12, 16, 17, 18]
const LEISURE_HOURS = [11, 14, 16]
const EXTRA_LINES = 3
/** Number of equal slots in an hour. In each slot, one bus run is rerouted and one is duplicated. */
const SLOTS_PER_HOUR = 2
const NOWHERE: PositionRange = { from: 0, to: 0 }

/** Returns all runs of the day: first the timetable's runs in the order of its trips, then the extra runs. */
export function planRuns(order: DayOrder): PlannedRun[] {
  const { parts } = order
  const offsets = new OffsetBook(parts)
  const holes = chooseHoles(order)
  const repeated = new Set(parts.departures.headways.map((each) => each.trip))
  const runs: PlannedRun[] = []
  for (const trip of parts.departures.trips) {
    if (!order.services.has(trip.service)) continue
    if (repeated.has(trip.id)) runs.push(...listHeadwayRuns(order, trip, offsets))
    else runs.push(decide(order, plainRun(order, trip, offsets), holes))
  }
  return addOddRuns(order, runs)
}

/** Caches call times by pattern and pace. */
class OffsetBook {
  private readonly known = new Map<number, number[]>()
  private readonly parts: CityParts

  constructor(parts: CityParts) {
    this.parts = parts
  }

  of({ pattern, pace }: CityTrip): number[] {
    const key = pace * this.parts.patterns.length + pattern
    return this.known.getOrInsertComputed(key, () => callTimes(this.parts.patterns[pattern], pace))
  }
}

function plainRun({ parts }: DayOrder, trip: CityTrip, offsets: OffsetBook): PlannedRun {
  return {
    id: trip.id,
    kind: 'scheduled',
    trip,
    pattern: parts.patterns[trip.pattern],
    startSeconds: trip.startSeconds,
    offsets: offsets.of(trip),
    leftOut: [],
    silent: NOWHERE,
    move: undefined,
    knownFromSeconds: trip.startSeconds - AHEAD_SECONDS,
  }
}

/** The runs of a frequency-based trip. Each run starts up to two minutes after its nominal time. */
function listHeadwayRuns(order: DayOrder, trip: CityTrip, offsets: OffsetBook): PlannedRun[] {
  const random = seededRandom(order.seed, `headways ${order.date} ${trip.id}`)
  const base = plainRun(order, trip, offsets)
  const runs: PlannedRun[] = []
  for (const hours of order.parts.departures.headways) {
    if (hours.trip !== trip.id) continue
    for (let at = hours.startSeconds; at < hours.endSeconds; at += hours.headwaySeconds) {
      const startSeconds = at + 15 * below(random, 9)
      runs.push({ ...base, kind: 'unscheduled', startSeconds, knownFromSeconds: startSeconds - AHEAD_SECONDS })
    }
  }
  return runs
}

/** Chooses the lines with a radio hole, as indexes in the roster. */
function chooseHoles({ parts, seed }: DayOrder): ReadonlySet<number> {
  const lines = parts.roster.flatMap((line, index) =>
    line.role === 'radial' || line.role === 'tangent' ? [index] : [],
  )
  const random = seededRandom(seed, 'radio holes')
  return new Set(Array.from({ length: Math.min(LINES_WITH_HOLES, lines.length) }, () => pick(random, lines)))
}

/** Decides whether and how a run is disrupted. */
function decide(order: DayOrder, run: PlannedRun, holes: ReadonlySet<number>): PlannedRun {
  const random = seededRandom(order.seed, `fate ${order.date} ${run.id}`)
  const chance = random()
  if (chance < CANCELED_SHARE) {
    const notice = AHEAD_SECONDS + below(random, EARLIEST_NOTICE_SECONDS - AHEAD_SECONDS)
    return { ...run, kind: 'canceled', knownFromSeconds: run.startSeconds - notice }
  }
  const silent = holes.has(run.pattern.line) ? holeOf(run) : NOWHERE
  if (chance < CANCELED_SHARE + SKIPPING_SHARE) return { ...run, silent, leftOut: chooseSkipped(run, random) }
  const isMoved = chance < CANCELED_SHARE + SKIPPING_SHARE + MOVED_SHARE
  return { ...run, silent, move: isMoved ? chooseMove(order.parts, run, random) : undefined }
}

/** The radio hole of a run: at the end of an outbound run, and at the start of an inbound run. */
function holeOf(run: PlannedRun): PositionRange {
  const count = callCountOf(run)
  const length = Math.floor(count * HOLE_SHARE)
  return run.pattern.direction === 0 ? { from: count - length, to: count } : { from: 0, to: length }
}

function chooseSkipped(run: PlannedRun, random: Random): number[] {
  const count = callCountOf(run)
  if (count < MIN_CALLS_TO_SKIP) return []
  const first = 1 + below(random, count - 3)
  return random() < 0.5 ? [first] : [first, first + 1]
}

/**
 * Chooses a call that moves to another platform of the same mode in the same area; undefined if no call has such a
 * platform.
 */
function chooseMove(parts: CityParts, run: PlannedRun, random: Random): PlannedRun['move'] {
  const { areas, platforms } = parts.stops
  const choices = run.pattern.calls.flatMap((call, position) => {
    const { area, mode } = platforms[call.platform]
    return areas[area].platforms
      .filter((platform) => platform !== call.platform && platforms[platform].mode === mode)
      .map((platform) => ({ position, platform }))
  })
  return choices.length === 0 ? undefined : pick(random, choices)
}

/**
 * Returns a copy of the list in which some runs are disrupted and extra runs are added. In each half hour, one bus run
 * is rerouted and one is duplicated. In crowded hours, the main lines also get extra runs.
 */
function addOddRuns(order: DayOrder, planned: readonly PlannedRun[]): PlannedRun[] {
  const runs = planned.slice()
  const random = seededRandom(order.seed, `odd runs ${order.date}`)
  const hours = order.services.has('semaine') ? RUSH_HOURS : LEISURE_HOURS
  const isOpen = (run: PlannedRun): boolean =>
    run.kind === 'scheduled' && run.leftOut.length === 0 && callCountOf(run) > MIN_CALLS_TO_SKIP && run.silent.to === 0
  const buses = [...runs.keys()].filter((at) => isOpen(runs[at]) && modeOf(order.parts, runs[at]) === 'bus')
  for (const [slot, choices] of [...groupBySlot(runs, buses)].sort(([a], [b]) => a - b)) {
    const rerouted = pick(random, choices)
    const copied = pick(random, choices)
    runs[rerouted] = reroute(runs[rerouted], random)
    runs.push(follow(planned[copied], 'duplicated', COPY_SECONDS))
    if (!hours.includes(slot / SLOTS_PER_HOUR)) continue
    const crowded = choices.filter((at) => order.parts.roster[planned[at].pattern.line].rhythm === 'main')
    for (let extra = 0; extra < Math.min(EXTRA_LINES, crowded.length); extra++) {
      const at = crowded[Math.floor((extra * crowded.length) / EXTRA_LINES)]
      runs.push(follow(planned[at], extra === 1 ? 'added' : 'new', EXTRA_SECONDS))
    }
  }
  return runs
}

function groupBySlot(runs: readonly PlannedRun[], among: readonly number[]): Map<number, number[]> {
  return Map.groupBy(among, (at) => Math.floor((runs[at].startSeconds * SLOTS_PER_HOUR) / 3600))
}

function modeOf(parts: CityParts, run: PlannedRun) {
  return parts.roster[run.pattern.line].mode
}

/** Reroutes a run: it skips two or three stops in the middle. */
function reroute(run: PlannedRun, random: Random): PlannedRun {
  const count = 2 + below(random, 2)
  const first = 1 + below(random, callCountOf(run) - count - 1)
  return {
    ...run,
    kind: 'replacement',
    move: undefined,
    leftOut: Array.from({ length: count }, (_, index) => first + index),
  }
}

/** Makes an extra run or a copy of a run. The new run starts `afterSeconds` later. */
function follow(run: PlannedRun, kind: RunKind, afterSeconds: number): PlannedRun {
  const startSeconds = run.startSeconds + afterSeconds
  const name = kind === 'duplicated' ? 'bis' : 'renfort'
  return {
    ...run,
    id: `${run.id}-${name}`,
    kind,
    startSeconds,
    move: undefined,
    knownFromSeconds: startSeconds - AHEAD_SECONDS,
  }
}
