// A summary of each network: whether it is served, how many days its timetable still covers, and the problems of the
// network and its feeds. Fast enough to compute for hundreds of networks.
import type { NetworkConfig } from '../config/config.ts'
import type { NetworkInside } from '../imports/network-states.ts'
import { localDayIn, serviceSpan } from '../imports/service-span.ts'
import type { FeedStatus } from '../networks/network.ts'
import { countText } from '../system/count-text.ts'
import { ageWord, type FeedsOfNetwork } from './overview-feeds.ts'

/** A feed whose match rate is below this has a problem. */
export const GOOD_MATCH_RATE = 0.8
/** A timetable that ends within this number of days is a problem, because the network needs a new one. */
export const SOON_DAYS = 7

/** A summary of a network. */
export interface NetworkBrief {
  readonly config: NetworkConfig
  readonly isServed: boolean
  /**
   * Remaining days of service, including today; 0 or less if the last day of service has passed; null if there is no
   * snapshot or no day of service.
   */
  readonly daysLeft: number | null
  /** Each problem in a few words; empty if there are none. */
  readonly problems: readonly string[]
}

/** What a summary is made from. */
export interface BriefSources {
  readonly find: (network: string) => NetworkInside | undefined
  readonly feedsOf: FeedsOfNetwork
  readonly nowMillis: number
}

/** Makes the summary of a network. */
export function briefOf(config: NetworkConfig, { find, feedsOf, nowMillis }: BriefSources): NetworkBrief {
  const inside = find(config.id)
  const timetable = inside?.served?.loaded.snapshot.timetable
  const span = timetable && serviceSpan(timetable)
  const today = timetable && localDayIn(timetable.meta.timezone, nowMillis)
  const daysLeft = span === undefined || today === undefined ? null : span.last - today + 1
  const problems: string[] = []
  if (timetable === undefined) problems.push(inside?.isQueued ? 'not served: its import is waiting' : 'not served')
  if (inside?.lastError !== undefined) problems.push(inside.lastError.reason)
  if (timetable !== undefined && daysLeft === null) problems.push('no service on any day')
  if (span !== undefined && today !== undefined && span.first > today) problems.push('timetable begins later')
  if (daysLeft !== null && daysLeft <= 0) problems.push('timetable expired')
  else if (daysLeft !== null && daysLeft <= SOON_DAYS) problems.push(`${countText(daysLeft, 'day')} left`)
  const feeds = feedsOf(config.id)
  for (const { id } of config.feeds) {
    const words = feedProblems(feeds.get(id), nowMillis)
    if (words.length > 0) problems.push(`feed ${id}: ${words.join(', ')}`)
  }
  return { config, isServed: timetable !== undefined, daysLeft, problems }
}

function feedProblems(status: FeedStatus | undefined, nowMillis: number): string[] {
  const age = ageWord(status, nowMillis)
  const words: string[] = age === 'fresh' ? [] : [age]
  if ((status?.backOffMillis ?? 0) > 0) words.push('failing')
  const rate = status?.matchRate
  if (rate !== undefined && rate < GOOD_MATCH_RATE) words.push(`${(rate * 100).toFixed(0)}% matched`)
  return words
}

/** Whether a network's id, name, city and problems together contain all words in a search. */
export function matchesSearch({ config, problems }: NetworkBrief, search: string): boolean {
  const text = `${config.id} ${config.name} ${config.city} ${problems.join(' ')}`.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
