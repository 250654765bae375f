// Assigns vehicles to runs. A run that belongs to a block of the timetable gets the block's vehicle, and any other run
// gets a free vehicle.
import type { CityParts } from '../city-tables.ts'
import { seededRandom } from '../seeded-random.ts'
import { drawTimes } from './delays.ts'
import { endOf, type PlannedRun, plannedEnd, type Run } from './run.ts'
import type { DayOrder } from './run-plan.ts'

/** A vehicle's runs on one service day, in order of their start. */
export interface Duty {
  readonly vehicle: string
  readonly runs: readonly Run[]
}

/** Shortest time from an arrival at a terminal to the next departure, in seconds. */
const TURN_SECONDS = 75
/**
 * Minimum planned time between two shuttle runs of the same vehicle, in seconds. The second run starts at the terminal
 * where the first run ends.
 */
const LAYOVER_SECONDS = 240
/**
 * Minimum planned time between two extra runs of the same vehicle, in seconds. The second run can start at another
 * terminal.
 */
const TRANSFER_SECONDS = 1500
const FIRST_NUMBER = 101

/**
 * Assigns vehicles and actual times to runs. Canceled runs get no vehicle, and their times stay as planned. Vehicles
 * without a block have different ids on odd and even days, because consecutive service days overlap.
 */
export function assignDuties(order: DayOrder, planned: readonly PlannedRun[]): { runs: Run[]; duties: Duty[] } {
  const { parts } = order
  const numbers = numberBlocks(parts)
  const groups = new Map<string, PlannedRun[]>()
  const runs: Run[] = []
  for (const run of planned) {
    if (run.kind === 'canceled') runs.push({ ...run, vehicle: '', times: plannedTimes(run) })
    else if (isOfBlock(run)) addTo(groups, `V${FIRST_NUMBER + (numbers.get(run.trip.block) ?? 0)}`, run)
  }
  const isOpen = (run: PlannedRun): boolean => run.kind !== 'canceled' && !isOfBlock(run)
  const shuttles = planned.filter((run) => isOpen(run) && run.kind === 'unscheduled')
  pair(shuttles, 'NP'[order.day % 2], { groups, waitSeconds: LAYOVER_SECONDS, staysAtPlace: true })
  const extras = planned.filter((run) => isOpen(run) && run.kind !== 'unscheduled')
  pair(extras, 'RS'[order.day % 2], { groups, waitSeconds: TRANSFER_SECONDS, staysAtPlace: false })
  const duties = [...groups].map(([vehicle, ofVehicle]) => drive(order, vehicle, ofVehicle))
  for (const duty of duties) runs.push(...duty.runs)
  return { runs, duties }
}

/**
 * Whether the run belongs to its trip's block. Extra runs and copies belong to no block, even if the original trip has
 * one.
 */
function isOfBlock(run: PlannedRun): boolean {
  return run.trip.block !== '' && run.id === run.trip.id
}

/** Block → its number, which is unique across all services. */
function numberBlocks(parts: CityParts): Map<string, number> {
  const numbers = new Map<string, number>()
  for (const { block } of parts.departures.trips) {
    if (block !== '' && !numbers.has(block)) numbers.set(block, numbers.size)
  }
  return numbers
}

function plannedTimes(run: PlannedRun): number[] {
  return run.offsets.map((offset) => run.startSeconds + offset)
}

function addTo(groups: Map<string, PlannedRun[]>, vehicle: string, run: PlannedRun): void {
  groups.getOrInsertComputed(vehicle, () => []).push(run)
}

/**
 * Assigns each run to a free vehicle, or to a new vehicle if there is none. If `staysAtPlace`, the free vehicle must be
 * at the run's first terminal.
 */
function pair(
  runs: readonly PlannedRun[],
  prefix: string,
  given: {
    readonly groups: Map<string, PlannedRun[]>
    readonly waitSeconds: number
    readonly staysAtPlace: boolean
  },
): void {
  const idle: { readonly vehicle: string; readonly fromSeconds: number; readonly area: number }[] = []
  let count = 0
  for (const run of runs.toSorted((a, b) => a.startSeconds - b.startSeconds)) {
    const { firstArea, lastArea } = run.pattern
    const ready = idle.findIndex(
      (each) => each.fromSeconds <= run.startSeconds && (!given.staysAtPlace || each.area === firstArea),
    )
    const vehicle = ready < 0 ? `${prefix}${FIRST_NUMBER + count++}` : idle.splice(ready, 1)[0].vehicle
    idle.push({ vehicle, fromSeconds: plannedEnd(run) + given.waitSeconds, area: lastArea })
    addTo(given.groups, vehicle, run)
  }
}

/** A vehicle's runs in sequence, with actual times. A delay on one run can delay the next run. */
function drive(order: DayOrder, vehicle: string, planned: readonly PlannedRun[]): Duty {
  let readySeconds = Number.NEGATIVE_INFINITY
  const runs = planned
    .toSorted((a, b) => a.startSeconds - b.startSeconds)
    .map((run): Run => {
      const random = seededRandom(order.seed, `times ${order.date} ${run.id} ${run.startSeconds}`)
      const { mode } = order.parts.roster[run.pattern.line]
      const driven = { ...run, vehicle, times: drawTimes(run, mode, { random, readySeconds }) }
      readySeconds = endOf(driven) + TURN_SECONDS
      return driven
    })
  return { vehicle, runs }
}
