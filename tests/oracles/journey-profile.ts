// All best journeys of a day, by a profile scan over the connections from the latest to the earliest. Part of the
// journey oracle, and slower than a planner may be.
import { eachGroup, type Hop, MOST_VEHICLES, NEVER, type SearchGround } from './journey-ground.ts'

/** A journey by what makes it better than others, in the ground's direction of time. */
export interface ProfileJourney {
  readonly leaves: number
  readonly arrives: number
  readonly vehicles: number
}

/** Arrivals by the number of vehicles still taken, 0 to 7; the first is never used. */
type Arrivals = Int32Array

/** From a stop: boarding then or later, one is there then. Later ones stand first, and those after them are no worse. */
interface Boardings {
  readonly seconds: number[]
  readonly arrivals: Arrivals[]
  /** Where changes depend on the trips: every boarding by itself. */
  readonly each: LoneBoarding[]
}

/** One boarding of one run. */
interface LoneBoarding {
  readonly seconds: number
  readonly trip: number
  readonly run: number
  readonly call: number
  arrivals: Arrivals
}

const COUNTS = MOST_VEHICLES + 1

/** The journeys leaving in [start, startEnd) that no other beats: leaves no earlier, arrives no later, with no more vehicles. */
export function listBestJourneys(ground: SearchGround): ProfileJourney[] {
  return new ProfileScan(ground).list()
}

class ProfileScan {
  private readonly ground: SearchGround
  /** By stop. */
  private readonly boardings: readonly Boardings[]
  /** Run → arrivals for one who sits in it at the hops gone through so far. */
  private readonly inRun: Int32Array
  /** Run → arrivals for one who sits in it from its start on, as far as is known: of those seated in the run before it. */
  private readonly fromStart: Int32Array
  /** Of the hop that is looked at: arrivals for one who is in it. */
  private readonly found = new Int32Array(COUNTS)
  /** By leaving and vehicles. */
  private readonly journeys = new Map<string, ProfileJourney>()

  constructor(ground: SearchGround) {
    this.ground = ground
    this.boardings = ground.changes.map(() => ({ seconds: [], arrivals: [], each: [] }))
    this.inRun = new Int32Array((ground.runOffset.at(-1) ?? 0) * COUNTS).fill(NEVER)
    this.fromStart = this.inRun.slice()
  }

  list(): ProfileJourney[] {
    const { days } = this.ground
    eachGroup(this.ground, true, (seconds, group) => {
      if (group.some(({ day, at }) => days[day].arrives[at] === seconds)) this.passSecond(seconds, group)
      else for (const hop of group) this.ride(hop, seconds)
      return true
    })
    return bestOf([...this.journeys.values()])
  }

  /**
   * Where a hop takes no time, others of the second follow from it: they are gone through until nothing is new. Each
   * time from what is known of the runs after the second, or a hop would go on with one that is before it.
   */
  private passSecond(seconds: number, group: readonly Hop[]): void {
    const { inRun } = this
    const bases = [...new Set(group.map((hop) => this.runOf(hop) * COUNTS))]
    const read = () => bases.map((base) => inRun.slice(base, base + COUNTS))
    const after = read()
    for (let known = ''; ; ) {
      let isNews = false
      for (const [rank, base] of bases.entries()) inRun.set(after[rank], base)
      for (const hop of group) if (this.ride(hop, seconds)) isNews = true
      const now = read().join()
      if (!isNews && now === known) return
      known = now
    }
  }

  private runOf({ day, at }: Hop): number {
    return this.ground.runOffset[day] + this.ground.days[day].run[at]
  }

  /** Whether boarding for the hop turned out to lead somewhere sooner than was known. */
  private ride(hop: Hop, now: number): boolean {
    const { ground, inRun, fromStart, found } = this
    const { at } = hop
    const day = ground.days[hop.day]
    const local = day.run[at]
    const trip = day.tripOf[local]
    if (ground.mayTake[trip] === 0) return false
    const base = this.runOf(hop) * COUNTS
    for (let vehicles = 0; vehicles < COUNTS; vehicles++) found[vehicles] = inRun[base + vehicles]
    if (day.isEnd[at] === 1) {
      for (const next of day.next.get(local) ?? []) {
        const other = (ground.runOffset[hop.day] + next) * COUNTS
        if (ground.mayTake[day.tripOf[next]] === 0) continue
        for (let vehicles = 1; vehicles < COUNTS; vehicles++) this.improve(vehicles, fromStart[other + vehicles])
      }
    }
    if (day.canAlight[at] === 1) this.alight(day.to[at], trip, day.arrives[at])
    for (let vehicles = 1; vehicles < COUNTS; vehicles++) {
      inRun[base + vehicles] = found[vehicles]
      // Nobody who sits in a run earlier is worse off: the least is that of its start.
      fromStart[base + vehicles] = Math.min(fromStart[base + vehicles], found[vehicles])
    }
    if (day.canBoard[at] === 0 || found.every((seconds) => seconds === NEVER)) return false
    const stop = day.from[at]
    this.leave(stop, now)
    const isNews = enter(this.boardings[stop], now, found)
    if (ground.mirroredSpecial[stop].length === 0) return isNews
    return enterAlone(this.boardings[stop], { seconds: now, trip, run: base, call: day.call[at] }, found) || isNews
  }

  private improve(vehicles: number, seconds: number): void {
    if (seconds < this.found[vehicles]) this.found[vehicles] = seconds
  }

  /** What one reaches by getting off. */
  private alight(stop: number, trip: number, seconds: number): void {
    const { egress, end, changes, special, change } = this.ground
    if (egress[stop] >= 0 && seconds + egress[stop] <= end) this.improve(1, seconds + egress[stop])
    for (const { stop: other, seconds: least } of changes[stop]) {
      const next = arrivalsAt(this.boardings[other], seconds + least)
      if (next === undefined) continue
      for (let vehicles = 2; vehicles < COUNTS; vehicles++) this.improve(vehicles, next[vehicles - 1])
    }
    for (const other of special[stop]) {
      for (const boarding of this.boardings[other].each) {
        const least = change(stop, trip, other, boarding.trip)
        if (least === undefined || seconds + least > boarding.seconds) continue
        for (let vehicles = 2; vehicles < COUNTS; vehicles++) this.improve(vehicles, boarding.arrivals[vehicles - 1])
      }
    }
  }

  /** Every boarding near the start counts: one that later ones beat may be the last within the window. */
  private leave(stop: number, now: number): void {
    const { access, start, startEnd } = this.ground
    const leaves = now - access[stop]
    if (access[stop] < 0 || leaves < start || leaves >= startEnd) return
    for (let vehicles = 1; vehicles < COUNTS; vehicles++) {
      const arrives = this.found[vehicles]
      const key = `${leaves} ${vehicles}`
      if (arrives < (this.journeys.get(key)?.arrives ?? NEVER)) this.journeys.set(key, { leaves, arrives, vehicles })
    }
  }
}

/** What is reached by boarding then or later. */
function arrivalsAt({ seconds, arrivals }: Boardings, from: number): Arrivals | undefined {
  // Moments fall; the last one that is late enough has the best arrivals.
  let [low, high] = [0, seconds.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (seconds[middle] >= from) low = middle + 1
    else high = middle
  }
  return arrivals[low - 1]
}

/** Enters a boarding; whether it is better than those later. */
function enter({ seconds, arrivals }: Boardings, now: number, found: Arrivals): boolean {
  const last = arrivals.at(-1)
  if (last === undefined) {
    seconds.push(now)
    arrivals.push(found.slice())
    return true
  }
  if (found.every((arrives, vehicles) => arrives >= last[vehicles])) return false
  const merged = last.map((arrives, vehicles) => Math.min(arrives, found[vehicles]))
  if (seconds.at(-1) === now) arrivals[arrivals.length - 1] = merged
  else {
    seconds.push(now)
    arrivals.push(merged)
  }
  return true
}

/** Enters a boarding beside the others; whether it is better than it was. */
function enterAlone({ each }: Boardings, boarding: Omit<LoneBoarding, 'arrivals'>, found: Arrivals): boolean {
  const { seconds, run, call } = boarding
  const known = each.find((other) => other.seconds === seconds && other.run === run && other.call === call)
  if (known === undefined) {
    each.push({ ...boarding, arrivals: found.slice() })
    return true
  }
  if (known.arrivals.every((arrives, vehicles) => arrives <= found[vehicles])) return false
  known.arrivals = known.arrivals.map((arrives, vehicles) => Math.min(arrives, found[vehicles]))
  return true
}

/** Those that no other beats, by their leaving, then by their vehicles. */
function bestOf(journeys: readonly ProfileJourney[]): ProfileJourney[] {
  const sorted = journeys.toSorted((a, b) => b.leaves - a.leaves || a.arrives - b.arrives || a.vehicles - b.vehicles)
  /** By vehicles: the best arrival of those that leave no earlier. */
  const arrives = new Int32Array(COUNTS).fill(NEVER)
  const best: ProfileJourney[] = []
  for (const journey of sorted) {
    if (arrives.subarray(0, journey.vehicles + 1).some((other) => other <= journey.arrives)) continue
    arrives[journey.vehicles] = journey.arrives
    best.push(journey)
  }
  return best.sort((a, b) => a.leaves - b.leaves || a.vehicles - b.vehicles)
}
