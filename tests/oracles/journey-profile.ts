// Finds all best journeys of a day in layers: journeys with one vehicle, then journeys with two vehicles, and so on.
// Part of the journey oracle.
import { NEVER, type QueryGround } from './journey-ground.ts'
import { callsOf, type DayInSearch, daysOf, type TripCalls } from './profile-runs.ts'
import { arrivalFrom, NO_STEPS, StepPile, type Steps } from './profile-steps.ts'

/**
 * The members by which journeys are compared. In a search backward in time, the times are negative: `leaves` is the
 * arrival, and `arrives` is the departure.
 */
export interface ProfileJourney {
  readonly leaves: number
  readonly arrives: number
  readonly vehicles: number
}

/** A boarding: its time, its trip, and the arrival at the destination. */
export interface LoneBoarding {
  readonly seconds: number
  readonly trip: number
  readonly arrives: number
}

/** The arrivals of journeys with at most a certain number of vehicles. */
export interface Layer {
  /** By stop: when a rider who boards there arrives at the destination. */
  readonly boardings: readonly Steps[]
  /** Stop → the arrival at the destination of a rider who alights there and boards another vehicle. */
  readonly changes: readonly Steps[]
  /** Stop → its boardings, by run and call. Only for stops where transfers depend on the trips. */
  readonly lone: ReadonlyMap<number, ReadonlyMap<string, LoneBoarding>>
  /** Run → the arrival at the destination of a rider who is in the vehicle from the start of the run. */
  readonly seats: Int32Array
  /** By stop: whether a rider who alights there may arrive sooner than in the layer with one vehicle fewer. */
  readonly isNews: Uint8Array
}

/** The best journeys, and the layers from which they are computed. */
export interface Profile {
  /**
   * The journeys that leave in [start, startEnd) and that no other journey beats. A journey beats another if it leaves
   * no earlier, arrives no later, and uses no more vehicles.
   */
  readonly best: readonly ProfileJourney[]
  /** By number of vehicles. The last layer also applies to larger numbers. */
  readonly layers: readonly Layer[]
  readonly days: readonly DayInSearch[]
  /** The arrival at the destination after alighting at a stop, with at most `more` other vehicles. */
  onward(more: number, trip: number, stop: number, seconds: number): number
}

/** Computes the profile of a query. */
export function profileOf(ground: QueryGround): Profile {
  const search = new ProfileSearch(ground)
  search.addLayers()
  const { layers, days } = search
  const onward = (more: number, trip: number, stop: number, seconds: number) =>
    search.onward(layers[Math.min(more, layers.length - 1)], trip, stop, seconds)
  return { best: bestOf([...search.journeys.values()]), layers, days, onward }
}

class ProfileSearch {
  readonly layers: Layer[]
  readonly days: readonly DayInSearch[]
  /** The journeys found, by departure and number of vehicles. */
  readonly journeys = new Map<number, ProfileJourney>()
  private readonly ground: QueryGround
  private readonly calls: readonly TripCalls[]

  constructor(ground: QueryGround) {
    const { feed, isMirrored, egress } = ground
    this.ground = ground
    this.calls = callsOf(feed, isMirrored)
    this.days = daysOf(ground)
    const runs = this.days.reduce((sum, { day }) => sum + day.tripOf.length, 0)
    const nowhere = Array.from(egress, () => NO_STEPS)
    this.layers = [
      {
        boardings: nowhere,
        changes: nowhere,
        lone: new Map(),
        seats: new Int32Array(runs).fill(NEVER),
        isNews: Uint8Array.from(egress, (seconds) => Number(seconds >= 0)),
      },
    ]
  }

  addLayers(): void {
    const { access, mostVehicles } = this.ground
    if (access.every((seconds) => seconds < 0)) return
    for (let vehicles = 1; vehicles <= mostVehicles; vehicles++) {
      const before = this.layers[vehicles - 1]
      if (!before.isNews.includes(1)) return
      this.layers.push(this.layerAfter(before, vehicles))
    }
  }

  /** The arrival at the destination after alighting at a stop, either on foot or with another vehicle. */
  onward(layer: Layer, trip: number, stop: number, seconds: number): number {
    const { egress, end, special, change } = this.ground
    let best = arrivalFrom(layer.changes[stop], seconds)
    if (egress[stop] >= 0 && seconds + egress[stop] <= end) best = Math.min(best, seconds + egress[stop])
    for (const other of special[stop]) {
      for (const boarding of layer.lone.get(other)?.values() ?? []) {
        if (boarding.arrives >= best) continue
        const least = change(stop, trip, other, boarding.trip)
        if (least !== undefined && seconds + least <= boarding.seconds) best = boarding.arrives
      }
    }
    return best
  }

  private layerAfter(before: Layer, vehicles: number): Layer {
    const scan = new LayerScan(this.ground, before)
    const isTripNews = this.calls.map(({ stops }, trip) => {
      return this.ground.mayTake[trip] === 1 && stops.some((stop) => before.isNews[stop] === 1)
    })
    for (const { day, firstRun, baseOf, lastFirst } of this.days) {
      const { tripOf, next } = day
      for (let isDone = false; !isDone; ) {
        isDone = true
        for (const run of lastFirst) {
          const trip = tripOf[run]
          const others = next.get(run)?.filter((other) => this.ground.mayTake[tripOf[other]] === 1) ?? []
          const hasNews = isTripNews[trip] || others.some((other) => scan.isSeatNews[firstRun + other] === 1)
          if (!hasNews || this.ground.mayTake[trip] === 0) continue
          const seated = Math.min(NEVER, ...others.map((other) => scan.seats[firstRun + other]))
          const base = baseOf(run)
          const arrives = this.ride({ scan, before, vehicles }, { trip, run: firstRun + run, base, seated })
          if (arrives >= scan.seats[firstRun + run]) continue
          scan.seats[firstRun + run] = arrives
          scan.isSeatNews[firstRun + run] = 1
          // Trips that take no time can lead into each other in a circle, so one pass over the runs is not enough.
          const { boards, alights } = this.calls[trip]
          if (boards[0] === alights.at(-1)) isDone = false
        }
      }
    }
    return scan.toLayer()
  }

  /**
   * Scans a run from its last call to its first. Returns the arrival of a rider who is in the vehicle from the start.
   */
  private ride(
    { scan, before, vehicles }: { readonly scan: LayerScan; readonly before: Layer; readonly vehicles: number },
    run: { readonly trip: number; readonly run: number; readonly base: number; readonly seated: number },
  ): number {
    const { start, end } = this.ground
    const { trip, base } = run
    const { stops, boards, alights, canBoard, canAlight } = this.calls[trip]
    if (base + boards[0] > end) return NEVER
    let best = run.seated
    for (let call = stops.length - 2; call >= 0; call--) {
      const there = base + alights[call + 1]
      if (canAlight[call + 1] && there <= end) {
        best = Math.min(best, this.onward(before, trip, stops[call + 1], there))
      }
      const seconds = base + boards[call]
      if (seconds < start) return NEVER
      if (!canBoard[call] || best === NEVER) continue
      const stop = stops[call]
      this.leave(stop, { leaves: seconds, arrives: best, vehicles })
      scan.enter(stop, seconds, best)
      if (this.ground.mirroredSpecial[stop].length === 0) continue
      scan.enterAlone(stop, `${run.run} ${call}`, { seconds, trip, arrives: best })
    }
    return best
  }

  /**
   * Records a journey that starts with this boarding, even if a later boarding is better, because the later one may be
   * outside the window.
   */
  private leave(stop: number, boarding: ProfileJourney): void {
    const { access, start, startEnd } = this.ground
    const leaves = boarding.leaves - access[stop]
    if (access[stop] < 0 || leaves < start || leaves >= startEnd) return
    const key = (leaves - start) * 16 + boarding.vehicles
    if (boarding.arrives < (this.journeys.get(key)?.arrives ?? NEVER)) this.journeys.set(key, { ...boarding, leaves })
  }
}

/** A layer while it is computed. */
class LayerScan {
  readonly seats: Int32Array
  readonly isSeatNews: Uint8Array
  private readonly ground: QueryGround
  private readonly before: Layer
  private readonly piles = new Map<number, StepPile>()
  private readonly lone = new Map<number, Map<string, LoneBoarding>>()

  constructor(ground: QueryGround, before: Layer) {
    this.ground = ground
    this.before = before
    this.seats = before.seats.slice()
    this.isSeatNews = new Uint8Array(this.seats.length)
  }

  /** Adds a boarding, unless a boarding with fewer vehicles is at least as good. */
  enter(stop: number, seconds: number, arrives: number): void {
    if (arrives >= arrivalFrom(this.before.boardings[stop], seconds)) return
    let pile = this.piles.get(stop)
    if (pile === undefined) {
      pile = new StepPile(this.ground.start)
      this.piles.set(stop, pile)
    }
    pile.add(seconds, arrives)
  }

  enterAlone(stop: number, key: string, boarding: LoneBoarding): void {
    const known = this.lone.get(stop)?.get(key) ?? this.before.lone.get(stop)?.get(key)
    if (known !== undefined && known.arrives <= boarding.arrives) return
    const lone = this.lone.getOrInsertComputed(stop, () => new Map(this.before.lone.get(stop) ?? []))
    lone.set(key, boarding)
  }

  toLayer(): Layer {
    const { ground, before, piles, lone, seats } = this
    const boardings = before.boardings.map((steps, stop) => {
      const pile = piles.get(stop)
      pile?.addAll(steps, 0)
      return pile?.toSteps() ?? steps
    })
    const isNews = new Uint8Array(boardings.length)
    const changes = ground.changes.map((others, stop) => {
      if (ground.special[stop].some((other) => lone.has(other))) isNews[stop] = 1
      if (!others.some((other) => piles.has(other.stop))) return before.changes[stop]
      isNews[stop] = 1
      const pile = new StepPile(ground.start)
      for (const other of others) pile.addAll(boardings[other.stop], other.seconds)
      return pile.toSteps()
    })
    return { boardings, changes, lone: new Map([...before.lone, ...lone]), seats, isNews }
  }
}

/** The journeys that no other journey beats, sorted by departure, then by number of vehicles. */
function bestOf(journeys: readonly ProfileJourney[]): ProfileJourney[] {
  const sorted = journeys.toSorted((a, b) => b.leaves - a.leaves || a.arrives - b.arrives || a.vehicles - b.vehicles)
  /**
   * By number of vehicles: the best arrival of the journeys already in `best`, which leave no earlier than the next
   * one.
   */
  const arrives: number[] = []
  const best: ProfileJourney[] = []
  for (const journey of sorted) {
    if (arrives.slice(0, journey.vehicles + 1).some((other) => other <= journey.arrives)) continue
    arrives[journey.vehicles] = journey.arrives
    best.push(journey)
  }
  return best.sort((a, b) => a.leaves - b.leaves || a.vehicles - b.vehicles)
}
