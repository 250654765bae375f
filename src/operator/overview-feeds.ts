// A live feed in the overview: how fresh it is, how well it matches, and how much of its budget it uses.
import type { NetworkConfig } from '../config/config.ts'
import type { FeedStatus, LastError } from '../networks/network.ts'
import { nameSource } from '../sources/feed-sources.ts'

/** Freshness of a feed. `dropped` means that its data is too old to be used. */
export type FeedAge = 'fresh' | 'stale' | 'dropped' | 'nothing yet'

/** Returns the status of a network's feeds: feed id → status. */
export type FeedsOfNetwork = (network: string) => ReadonlyMap<string, FeedStatus>

/** Groups the status of all feeds by network. */
export function groupFeeds(
  feeds: readonly { readonly network: string; readonly status: FeedStatus }[],
): FeedsOfNetwork {
  const groups = new Map<string, Map<string, FeedStatus>>()
  for (const { network, status } of feeds) {
    const group = groups.get(network) ?? new Map<string, FeedStatus>()
    groups.set(network, group.set(status.id, status))
  }
  return (network) => groups.get(network) ?? NO_FEEDS
}

const NO_FEEDS: ReadonlyMap<string, FeedStatus> = new Map()

/** Describes an error for the overview. @param at formats Unix milliseconds as local time */
export function readError(error: LastError | undefined, at: (millis: number) => string) {
  if (error === undefined) return null
  return { at: at(error.atMillis), source: error.source, reason: error.reason, message: error.message }
}

/** Makes the overview entry for a live feed. */
export function readFeed(
  config: NetworkConfig['feeds'][number],
  status: FeedStatus | undefined,
  { at, nowMillis }: { readonly at: (millis: number) => string; readonly nowMillis: number },
) {
  const { carries, matches, budget, timestampMillis, fetchedAtMillis } = status ?? {}
  const isFailing = (status?.backOffMillis ?? 0) > 0
  return {
    id: config.id,
    source: nameSource(config.url),
    interval_seconds: config.intervalSeconds,
    carries: (['trips', 'vehicles', 'alerts'] as const).filter((kind) => carries?.[kind] === true),
    state: ageWord(status, nowMillis),
    is_failing: isFailing,
    age_seconds: timestampMillis === undefined ? null : ageOf(timestampMillis, nowMillis),
    fresh_seconds: status === undefined ? null : status.freshMillis / 1000,
    dropped_after_seconds: status === undefined ? null : status.maxAgeMillis / 1000,
    fetched_at: fetchedAtMillis === undefined ? null : at(fetchedAtMillis),
    trip_updates: matches?.total ?? null,
    matched: matches?.matched ?? null,
    match_rate: status?.matchRate === undefined ? null : round(status.matchRate, 3),
    reasons: matches?.reasons ?? {},
    mismatch: matches?.mismatch ?? [],
    back_off_seconds: (status?.backOffMillis ?? 0) / 1000,
    budget:
      budget === undefined ? null : { used: budget.used, limit: budget.limit, resets_at: at(budget.resetsAtMillis) },
    last_error: readError(status?.lastError, at),
  }
}

/** Freshness of a feed's newest message. */
export function ageWord(status: FeedStatus | undefined, nowMillis: number): FeedAge {
  if (status?.timestampMillis === undefined) return 'nothing yet'
  const age = nowMillis - status.timestampMillis
  if (age > status.maxAgeMillis) return 'dropped'
  return age > status.freshMillis ? 'stale' : 'fresh'
}

/** Whole seconds since an instant; never negative. */
export function ageOf(thenMillis: number, nowMillis: number): number {
  return Math.max(0, Math.floor((nowMillis - thenMillis) / 1000))
}

/** Rounds a number. @param digits the number of decimal places */
export function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits
}
