// Finds the earliest arrival by a connection scan in order of departure. If the input is mirrored, the scan finds the
// latest departure. Part of the journey oracle.
import { eachGroup, type Hop, MOST_VEHICLES, NEVER, type SearchGround } from './journey-ground.ts'

const NOT_IN = 127

/**
 * How a rider got into a run: by boarding at the start of the journey, by a transfer, or by staying seated after an
 * earlier run.
 */
interface Boarded {
  /** The ride before; undefined if this is the first ride. */
  readonly before: Alighted | undefined
  readonly isSeated: boolean
  readonly hop: Hop
}

/** A ride that ends with a hop. */
export interface Alighted {
  readonly boarded: Boarded
  readonly hop: Hop
  readonly vehicles: number
}

/** The best journey that a scan finds. */
export interface ScanAnswer {
  /** The time of arrival. In a search backward in time: the departure, as a negative number. */
  readonly arrives: number
  readonly last: Alighted
}

/**
 * The best state that a rider in a run can have: how many vehicles the rider has used, including the vehicle of the
 * run, and how the rider got in.
 */
interface InRun {
  readonly vehicles: number
  readonly boarded: Boarded
}

/** Finds the earliest arrival by scanning hops in order of time; undefined if there is none. */
export function scanConnections(ground: SearchGround): ScanAnswer | undefined {
  return new ConnectionScan(ground).scan()
}

/**
 * One scan, which is exact for the earliest arrival. For each stop and number of vehicles, it stores the first time at
 * which a rider can board there after a transfer. For each run, it stores the lowest number of vehicles with which a
 * rider can be in that run, because nothing else matters for the rest of the run. For transfers that depend on the
 * trips, the scan stores all alightings and checks them at each boarding.
 */
class ConnectionScan {
  private readonly ground: SearchGround
  /** Number of vehicles → stop → the first time at which a rider can board. */
  private readonly ready: readonly Int32Array[]
  /** Number of vehicles → stop → the ride after which a rider can board at the time in `ready`. */
  private readonly readyBy: readonly (Alighted | undefined)[][]
  private readonly vehiclesIn: Int8Array
  private readonly boardedAs: Boarded[] = []
  /** Stop → the alightings there. Only for stops from which a transfer depends on the trips. */
  private readonly alightings = new Map<number, { seconds: number; trip: number; label: Alighted }[]>()
  /** The runs with a hop in the current second → their states before that second. */
  private readonly known = new Map<number, InRun>()
  private best: ScanAnswer | undefined

  constructor(ground: SearchGround) {
    const counts = Array.from({ length: MOST_VEHICLES + 1 })
    this.ground = ground
    this.ready = counts.map(() => new Int32Array(ground.access.length).fill(NEVER))
    this.readyBy = counts.map(() => [])
    this.vehiclesIn = new Int8Array(ground.runOffset.at(-1) ?? 0).fill(NOT_IN)
  }

  scan(): ScanAnswer | undefined {
    eachGroup(this.ground, false, (seconds, group) => {
      if (this.best !== undefined && seconds > this.best.arrives) return false
      this.passSecond(seconds, group)
      return true
    })
    return this.best
  }

  /**
   * Scans the hops of one second repeatedly until nothing changes, because a hop can make it possible to board a hop
   * that was scanned before. Each pass starts from the states before this second. Otherwise, riders could alight before
   * the call at which they boarded.
   */
  private passSecond(seconds: number, group: readonly Hop[]): void {
    const { ground, known, vehiclesIn, boardedAs } = this
    known.clear()
    for (const { day, at } of group) {
      const run = ground.runOffset[day] + ground.days[day].run[at]
      known.set(run, { vehicles: vehiclesIn[run], boarded: boardedAs[run] })
    }
    for (let isNews = true; isNews; ) {
      isNews = false
      for (const [run, { vehicles, boarded }] of known) {
        vehiclesIn[run] = vehicles
        boardedAs[run] = boarded
      }
      for (const hop of group) if (this.ride(hop, seconds)) isNews = true
    }
  }

  /**
   * Scans one hop. Returns whether the hop makes something new possible in the second `now`, so that another pass is
   * needed.
   */
  private ride(hop: Hop, now: number): boolean {
    const { ground, vehiclesIn, boardedAs } = this
    const day = ground.days[hop.day]
    const local = day.run[hop.at]
    const run = ground.runOffset[hop.day] + local
    const trip = day.tripOf[local]
    if (ground.mayTake[trip] === 0) return false
    if (day.canBoard[hop.at] === 1) {
      const [vehicles, before] = this.boardWith(day.from[hop.at], trip, now)
      if (vehicles < vehiclesIn[run]) {
        vehiclesIn[run] = vehicles
        boardedAs[run] = { before, isSeated: false, hop }
      }
    }
    if (vehiclesIn[run] === NOT_IN) return false
    const isNews = day.canAlight[hop.at] === 1 && this.alight(hop, run, now)
    return (day.isEnd[hop.at] === 1 && this.staySeated(hop, run)) || isNews
  }

  /**
   * The lowest number of vehicles, including that of the trip, with which a rider can board the trip at the time
   * `seconds`. Also returns the rider's previous ride.
   */
  private boardWith(stop: number, trip: number, seconds: number): readonly [number, Alighted | undefined] {
    const { access, start, startEnd, mostVehicles, mirroredSpecial, change } = this.ground
    const leaves = seconds - access[stop]
    if (access[stop] >= 0 && leaves >= start && leaves < startEnd) return [1, undefined]
    for (let used = 1; used < mostVehicles; used++) {
      if (this.ready[used][stop] <= seconds) return [used + 1, this.readyBy[used][stop]]
      for (const from of mirroredSpecial[stop]) {
        for (const alighting of this.alightings.get(from) ?? []) {
          if (alighting.label.vehicles !== used) continue
          const least = change(from, alighting.trip, stop, trip)
          if (least !== undefined && alighting.seconds + least <= seconds) return [used + 1, alighting.label]
        }
      }
    }
    return [NOT_IN, undefined]
  }

  /**
   * Records an alighting. Returns whether the alighting may let riders board somewhere by `now`, the departure time of
   * the hops that are being scanned. If so, these hops must be scanned again.
   */
  private alight(hop: Hop, run: number, now: number): boolean {
    const { days, runOffset, egress, end, mostVehicles, changes, special } = this.ground
    const { arrives, to, tripOf } = days[hop.day]
    const [seconds, stop] = [arrives[hop.at], to[hop.at]]
    const vehicles = this.vehiclesIn[run]
    const label = { boarded: this.boardedAs[run], hop, vehicles }
    const there = seconds + egress[stop]
    if (egress[stop] >= 0 && there <= end && there < (this.best?.arrives ?? NEVER)) {
      this.best = { arrives: there, last: label }
    }
    if (vehicles === mostVehicles) return false
    let isNews = false
    const [ready, readyBy] = [this.ready[vehicles], this.readyBy[vehicles]]
    for (const change of changes[stop]) {
      if (seconds + change.seconds >= ready[change.stop]) continue
      ready[change.stop] = seconds + change.seconds
      readyBy[change.stop] = label
      if (seconds + change.seconds <= now) isNews = true
    }
    if (special[stop].length === 0) return isNews
    const trip = tripOf[run - runOffset[hop.day]]
    const others = this.alightings.getOrInsertComputed(stop, () => [])
    if (others.some((one) => one.seconds === seconds && one.trip === trip && one.label.vehicles <= vehicles))
      return isNews
    others.push({ seconds, trip, label })
    return isNews || seconds <= now
  }

  /**
   * Lets the rider stay seated into the next runs of the vehicle. Returns whether the rider reaches any of these runs
   * with fewer vehicles than was possible before.
   */
  private staySeated(hop: Hop, run: number): boolean {
    const { vehiclesIn, boardedAs, known } = this
    const { days, runOffset } = this.ground
    const vehicles = vehiclesIn[run]
    let isNews = false
    for (const next of days[hop.day].next.get(days[hop.day].run[hop.at]) ?? []) {
      const nextRun = runOffset[hop.day] + next
      // Compares with the state before this second, because a rider who boarded the next run in this second may have
      // boarded after its first call. A rider who stays seated is in the run from its start, and must replace a rider
      // who boarded later.
      if ((known.get(nextRun)?.vehicles ?? vehiclesIn[nextRun]) <= vehicles) continue
      const boarded = { before: { boarded: boardedAs[run], hop, vehicles }, isSeated: true, hop }
      if (vehicles < vehiclesIn[nextRun]) {
        vehiclesIn[nextRun] = vehicles
        boardedAs[nextRun] = boarded
      }
      if (known.has(nextRun)) known.set(nextRun, { vehicles, boarded })
      isNews = true
    }
    return isNews
  }
}
