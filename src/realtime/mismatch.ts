// Explains why a feed hardly matches the timetable. Names the most common reasons, each with an example and the setting
// to check.
import type { FeedMatches, UnmatchedUpdate } from '../../indexes/live/feed-matches.ts'
import type { FeedMismatch } from '../networks/network.ts'

/** If the share of matched trips is below this, the feed is probably misconfigured. */
const LEAST_MATCHED = 0.2
const REASONS_SHOWN = 3
/**
 * The setting to check if the timetable has the lines of most unmatched trips, but not the trips themselves. The feed
 * then probably belongs to another version of the timetable.
 */
const OTHER_VERSION = 'networks.gtfs'
/** Reason why an update did not match → the setting that may be wrong. */
const SETTINGS: Readonly<Record<string, string>> = {
  unknown_trip: 'networks.feeds.prefix',
  no_trip_id: 'networks.feeds.provides',
  unknown_modification: 'networks.feeds.prefix',
  no_service_on_date: 'networks.gtfs',
  no_start_date: 'networks.gtfs',
  no_such_run: 'networks.gtfs',
  ambiguous_descriptor: 'networks.gtfs',
  added_without_route: 'networks.feeds.prefix',
  added_without_calls: 'networks.feeds.prefix',
}

/**
 * Why hardly any of a feed's updates matched a trip; undefined if enough updates matched.
 * @param isLine returns whether the timetable has a route with this id
 */
export function mismatchOf(
  { total, matched }: FeedMatches,
  unmatched: readonly UnmatchedUpdate[],
  isLine: (routeId: string) => boolean,
): FeedMismatch | undefined {
  if (matched >= total * LEAST_MATCHED) return undefined
  const byReason = [...Map.groupBy(unmatched, ({ reason }) => reason)].sort(([, a], [, b]) => b.length - a.length)
  return byReason.slice(0, REASONS_SHOWN).map(([reason, updates]) => {
    const { tripId, routeId, startDate } = updates[0].trip
    const example = [tripId, routeId, startDate].filter((part) => part !== undefined).join(' ')
    return { reason, count: updates.length, example, setting: settingOf(reason, updates, isLine) }
  })
}

function settingOf(
  reason: string,
  updates: readonly UnmatchedUpdate[],
  isLine: (routeId: string) => boolean,
): string | null {
  const known = updates.filter(({ trip: { routeId } }) => routeId !== undefined && isLine(routeId))
  if (reason === 'unknown_trip' && known.length * 2 > updates.length) return OTHER_VERSION
  return SETTINGS[reason] ?? null
}
