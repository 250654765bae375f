// Which vehicle does which runs: those of the timetable's blocks as they stand there, the others as vehicles come free.
import type { CityParts } from '../city-tables.ts'
import { seededRandom } from '../seeded-random.ts'
import { drawTimes } from './delays.ts'
import { endOf, type PlannedRun, plannedEnd, type Run } from './run.ts'
import type { DayOrder } from './run-plan.ts'

/** A vehicle's runs of one service day, by their start. */
export interface Duty {
  readonly vehicle: string
  readonly runs: readonly Run[]
}

/** From an arrival at a terminal to the next departure, at least, in seconds. */
const TURN_SECONDS = 75
/** How long a vehicle without a block needs from one run to the next, as planned. */
const LAYOVER_SECONDS = 240
/** The same where it goes elsewhere in between. */
const TRANSFER_SECONDS = 1500
const FIRST_NUMBER = 101

/**
 * Gives runs their vehicles and their real times. Canceled runs get none of the former and keep the planned ones. The
 * vehicles without blocks take turns from day to day, since one service day still runs when the next has begun.
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

/** Extra runs and copies aren't the block's, though their model is. */
function isOfBlock(run: PlannedRun): boolean {
  return run.trip.block !== '' && run.id === run.trip.id
}

/** Block → a number of its own among all services. */
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

/** Gives each run to a vehicle that is free by then, where it begins if it must be, else to a new one. */
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

/** A vehicle's runs one after the other, each late where the one before came late. */
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
