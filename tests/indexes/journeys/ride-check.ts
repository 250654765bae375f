// Checks, ride by ride, whether a planned journey can be ridden in a random network.
import type { PlannedJourney, PlannedRide } from '../../../indexes/journeys/planned-journey.ts'
import { NO_RUN } from '../../../indexes/timetable/board-cursor.ts'
import { textOf } from '../../../loaders/strings.ts'
import { changeSeconds } from '../../oracles/exhaustive-changes.ts'
import { listInstances, type PlainInstance, usableBy } from '../../oracles/exhaustive-instances.ts'
import type { PlannedNetwork } from './planned-network.ts'
import type { PlainNetwork } from './random-network.ts'

/** What is wrong with a journey; undefined if the journey has no fault. */
export function findFault(network: PlainNetwork, planned: PlannedNetwork, journey: PlannedJourney): string | undefined {
  const { all, followers } = usableBy(network, listInstances(network))
  const rides = journey.rides.map((ride) => ({
    ride,
    instance: instanceOf(all, planned, ride),
    stops: stopsOf(planned, ride),
  }))
  const [first, last] = [rides[0], rides[rides.length - 1]]
  if (first === undefined || last === undefined) return 'the journey has no ride'
  const walk = network.access.seconds[network.access.stops.indexOf(first.stops[0] ?? -1)]
  if (walk === undefined || first.ride.departs - walk !== journey.leaves)
    return 'the departure does not match the first ride'
  const walkOn = network.egress.seconds[network.egress.stops.indexOf(last.stops.at(-1) ?? -1)]
  if (walkOn === undefined || last.ride.arrives + walkOn !== journey.arrives)
    return 'the arrival does not match the last ride'
  if (rides.filter(({ ride }) => !ride.staysSeated).length !== journey.vehicles)
    return 'the number of vehicles is wrong'
  for (const [at, { ride, instance, stops }] of rides.entries()) {
    const next = rides[at + 1]
    const calls = instance?.calls.slice(ride.from, ride.from + stops.length) ?? []
    const [board, alight] = [calls[0], calls[calls.length - 1]]
    if (instance === undefined || board === undefined || alight === undefined) return 'no such trip runs'
    if (calls.map(({ stop }) => stop).join() !== stops.join()) return 'the trip calls at other stops'
    if (board.departure !== ride.departs || alight.arrival !== ride.arrives) return 'the trip runs at other times'
    if (!ride.staysSeated && !board.canBoard) return 'boarding is not allowed'
    if (next?.ride.staysSeated !== true && !alight.canAlight) return 'alighting is not allowed'
    if (next?.instance === undefined) continue
    if (next.ride.staysSeated) {
      if (!followers.get(instance)?.includes(next.instance)) return 'the vehicle does not continue as this trip'
      continue
    }
    const to = { instance: next.instance, stop: next.stops[0] ?? -1 }
    const seconds = changeSeconds(network, { instance, stop: alight.stop }, to)
    if (seconds === undefined || ride.arrives + seconds > next.ride.departs) return 'the change is too short'
  }
  return undefined
}

/** The numbers in the ids of a ride's stops: 3 for the id `s3`. */
function stopsOf({ timetable }: PlannedNetwork, { stops }: PlannedRide): number[] {
  const ids = timetable.stops.id
  return stops.map((stop) => Number(textOf(timetable.strings, ids[stop]).slice(1)))
}

function instanceOf(
  all: readonly PlainInstance[],
  { timetable, overlay }: PlannedNetwork,
  { instance, live }: PlannedRide,
): PlainInstance | undefined {
  if (instance === undefined) {
    const [call] = live ?? []
    if (overlay === undefined || call === undefined) return undefined
    const ref = textOf(overlay.strings, overlay.instances.ref[overlay.calls.instance[call]])
    return all.find(({ key }) => key === ref.replace('-', ' '))
  }
  const id = textOf(timetable.strings, timetable.trips.id[instance.trip])
  const run = instance.runStartSeconds === NO_RUN ? undefined : instance.runStartSeconds
  return all.find((each) => each.trip?.id === id && each.day === instance.day && each.run === run)
}
