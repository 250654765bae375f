// In a network with several timetables, a prefix is added to the ids of each timetable, but live feeds may use ids
// without prefixes. The ids of a feed get the prefix with which most of them are found in the timetables.
import type { EntitySelector, StopSelector, TripDescriptor } from '../../loaders/gtfs-rt/message.ts'
import { findLine } from '../timetable/lines.ts'
import { findStop } from '../timetable/stops.ts'
import type { Timetable } from '../timetable/timetable.ts'
import { findTrip } from '../timetable/trips.ts'
import type { FeedContent } from './feed-state.ts'

/**
 * Prefixes are tried with the first trip descriptors and the first alert selectors of a feed: at most this many of
 * each.
 */
const MOST_TRIED = 500

/** Adds the prefixes of a network's timetables to the ids of live feeds. */
export class FeedPrefixes {
  private readonly timetable: Timetable
  private readonly prefixes: readonly string[]
  private readonly known = new WeakMap<FeedContent, FeedContent>()

  constructor(timetable: Timetable, prefixes: readonly string[]) {
    this.timetable = timetable
    this.prefixes = [...new Set(['', ...prefixes])]
  }

  /**
   * The content of a feed, with a prefix added to its ids so that they match the ids in the timetable.
   * @param setting the configured prefix, if any
   */
  apply(content: FeedContent, setting: string | undefined): FeedContent {
    if (setting === undefined && this.prefixes.length === 1) return content
    let applied = this.known.get(content)
    if (applied === undefined) {
      const prefix = setting ?? this.prefixOf(content)
      applied = prefix === '' ? content : withPrefix(content, prefix)
      this.known.set(content, applied)
    }
    return applied
  }

  /**
   * The prefix with which most ids are found in the timetable. Trip ids count more than all others. If several prefixes
   * are equally good, the first one is chosen. The first one is the empty prefix.
   */
  private prefixOf({ trips, vehicles, alerts }: FeedContent): string {
    const { timetable } = this
    const descriptors = [...trips, ...vehicles].flatMap(({ trip }) => trip ?? []).slice(0, MOST_TRIED)
    const selectors = alerts.flatMap((alert) => alert.selectors).slice(0, MOST_TRIED)
    const counts = this.prefixes.map((prefix) => {
      const isKnown = (find: typeof findTrip | typeof findLine | typeof findStop, id: string | undefined) =>
        id !== undefined && find(timetable, prefix + id) !== undefined
      const found = descriptors.filter(({ tripId, routeId }) => isKnown(findTrip, tripId) || isKnown(findLine, routeId))
      const known = selectors.filter(({ routeId, stopId }) => isKnown(findLine, routeId) || isKnown(findStop, stopId))
      const byTrip = descriptors.filter(({ tripId }) => isKnown(findTrip, tripId))
      return byTrip.length * descriptors.length + found.length + known.length
    })
    return this.prefixes[counts.indexOf(Math.max(...counts))] ?? ''
  }
}

function withPrefix(content: FeedContent, prefix: string): FeedContent {
  const put = (id: string | undefined) => (id === undefined ? undefined : prefix + id)
  const trip = (known: TripDescriptor) => ({ ...known, tripId: put(known.tripId), routeId: put(known.routeId) })
  const stop = <Part extends StopSelector>(known: Part): Part => ({ ...known, stopId: put(known.stopId) })
  const selector = (known: EntitySelector): EntitySelector => ({
    ...known,
    routeId: put(known.routeId),
    stopId: put(known.stopId),
    trip: known.trip && trip(known.trip),
  })
  return {
    ...content,
    trips: content.trips.map((update) => ({
      ...update,
      trip: trip(update.trip),
      stopTimes: update.stopTimes.map((call) => ({ ...stop(call), assignedStopId: put(call.assignedStopId) })),
    })),
    vehicles: content.vehicles.map((report) => ({ ...stop(report), trip: report.trip && trip(report.trip) })),
    alerts: content.alerts.map((alert) => ({ ...alert, selectors: alert.selectors.map(selector) })),
    modifications: content.modifications.map((each) => ({
      ...each,
      selected: each.selected.map((one) => ({ ...one, tripIds: one.tripIds.map((id) => prefix + id) })),
      modifications: each.modifications.map((one) => ({
        ...one,
        start: one.start && stop(one.start),
        end: one.end && stop(one.end),
        replacements: one.replacements.map((each) => ({ ...each, stopId: put(each.stopId) })),
      })),
    })),
  }
}
