// Groups days into kinds: on all days of a kind, exactly the same services run. A calendar of thirty years has only
// about twenty kinds of days. A result for one day applies to all days of its kind.
import type { ServiceRow, ServiceTable } from './feed.ts'

/** The part of a ServiceTable that says on which days each service runs. */
export type ActiveDays = Pick<ServiceTable, 'count' | 'dayCount' | 'bytesPerService' | 'activeDays'>

/** The services, by kind of day. */
export interface DayClasses {
  /**
   * One bit for each service and kind, instead of for each service and day. The kinds are in the order of their first
   * days.
   */
  readonly services: ActiveDays
  /** Kind → its first day, as an offset from the calendar's first day. */
  readonly firstDay: readonly number[]
}

/** Finds the kinds of days, and the services that run on each. */
export function findDayClasses(services: ServiceTable): DayClasses {
  const classOfDay = splitDays(services)
  const firstDay = [...new Map([...classOfDay.keys()].reverse().map((day) => [classOfDay[day], day])).values()]
  firstDay.sort((a, b) => a - b)
  const bytesPerService = Math.ceil(firstDay.length / 8)
  const activeDays = new Uint8Array(services.count * bytesPerService)
  for (let service = 0; service < services.count; service++) {
    for (const [place, day] of firstDay.entries()) {
      if (nextActiveDay(services, service as ServiceRow, day) !== day) continue
      activeDays[service * bytesPerService + (place >> 3)] |= 1 << (place & 7)
    }
  }
  return { firstDay, services: { count: services.count, dayCount: firstDay.length, bytesPerService, activeDays } }
}

/**
 * Day → its class. Two days have the same class if exactly the same services run on both. At first, all days are in one
 * class. Each service then splits the classes in which it runs on some days but not on all.
 */
function splitDays(services: ActiveDays): Int32Array {
  const { dayCount } = services
  const classOfDay = new Int32Array(dayCount)
  const sizes = new Int32Array(dayCount + 1)
  const hits = new Int32Array(dayCount + 1)
  /** Class → the new class for those of its days on which the current service runs; −1 if the class is not split. */
  const splitTo = new Int32Array(dayCount + 1).fill(-1)
  sizes[0] = dayCount
  let classCount = 1
  for (let service = 0 as ServiceRow; service < services.count; service++) {
    const touched: number[] = []
    for (let day = nextActiveDay(services, service, 0); day >= 0; day = nextActiveDay(services, service, day + 1)) {
      const kind = classOfDay[day]
      if (hits[kind] === 0) touched.push(kind)
      hits[kind]++
    }
    for (const kind of touched) {
      if (hits[kind] < sizes[kind]) {
        splitTo[kind] = classCount
        sizes[classCount++] = hits[kind]
        sizes[kind] -= hits[kind]
      }
    }
    for (let day = nextActiveDay(services, service, 0); day >= 0; day = nextActiveDay(services, service, day + 1)) {
      const split = splitTo[classOfDay[day]]
      if (split >= 0) classOfDay[day] = split
    }
    for (const kind of touched) {
      hits[kind] = 0
      splitTo[kind] = -1
    }
  }
  return classOfDay
}

/**
 * The first day on or after `day` on which a service runs, as an offset from the calendar's first day; −1 if there is
 * none.
 */
export function nextActiveDay(services: ActiveDays, service: ServiceRow, day: number): number {
  const { activeDays, bytesPerService, dayCount } = services
  const first = service * bytesPerService
  for (let at = day; at < dayCount; ) {
    const rest = activeDays[first + (at >> 3)] >> (at & 7)
    if (rest === 0) at = (at | 7) + 1
    else if ((rest & 1) === 1) return at
    else at++
  }
  return -1
}
