// What an answer was made of, each source with its age: timetables, addresses and live feeds; and for which network.
import type { FeedStatus, NetworkLive } from '../networks/network.ts'
import type { ServedAddresses } from '../places/served-addresses.ts'
import type { SnapshotView } from '../rendering/snapshot-view.ts'
import { utcText } from '../rendering/timestamps.ts'

/** The sources of a view's departures as JSON. Ages are what lies between the times as they are printed. */
export function sourcesText(view: SnapshotView, live: NetworkLive | undefined, nowMillis: number): string {
  const gtfs = timetableText(view, nowMillis)
  if (live === undefined) return `[${gtfs}]`
  const feeds = live.feeds.filter(({ carries }) => carries.trips).map((feed) => feedText(feed, nowMillis))
  return `[${[gtfs, ...feeds].join(',')}]`
}

/** What places are found in, as JSON: the timetables, and the addresses. */
export function placeSourcesText(
  views: readonly SnapshotView[],
  addresses: Pick<ServedAddresses, 'madeAtMillis'> | undefined,
  nowMillis: number,
): string {
  const timetables = views.map((view) => timetableText(view, nowMillis))
  if (addresses === undefined) return `[${timetables.join(',')}]`
  const ban = sourceText('ban', {
    fetchedAtText: utcText(addresses.madeAtMillis),
    ageSeconds: ageOf(addresses.madeAtMillis, nowMillis),
    freshness: 'scheduled',
  })
  return `[${[...timetables, ban].join(',')}]`
}

/** `meta.network` of an answer across networks: the one that was asked for, if it is one alone. */
export function namedNetwork(networks: readonly string[] | undefined): { readonly network?: string } {
  const [only, ...others] = new Set(networks)
  return only === undefined || others.length > 0 ? {} : { network: only }
}

function timetableText(view: SnapshotView, nowMillis: number): string {
  return sourceText('gtfs', {
    fetchedAtText: view.refreshedAtText,
    ageSeconds: ageOf(view.snapshot.refreshedAtMillis, nowMillis),
    freshness: 'scheduled',
  })
}

/** The live feeds that have told of alerts, as JSON. */
export function alertSourcesText(views: readonly SnapshotView[], nowMillis: number): string {
  const feeds = views.flatMap(({ network }) => network.live?.feeds.filter(({ carries }) => carries.alerts) ?? [])
  return `[${feeds.map((feed) => feedText(feed, nowMillis)).join(',')}]`
}

/** Its age is that of the data, not of the fetch: a feed that is fetched and does not move is stale. */
function feedText(feed: FeedStatus, nowMillis: number): string {
  const ageSeconds = ageOf(feed.timestampMillis ?? nowMillis, nowMillis)
  return sourceText(feed.id, {
    fetchedAtText: utcText(feed.fetchedAtMillis ?? nowMillis),
    ageSeconds,
    freshness: ageSeconds * 1000 > feed.freshMillis ? 'stale' : 'realtime',
  })
}

function ageOf(thenMillis: number, nowMillis: number): number {
  return Math.max(0, Math.floor(nowMillis / 1000) - Math.floor(thenMillis / 1000))
}

function sourceText(
  id: string,
  { fetchedAtText, ageSeconds, freshness }: { fetchedAtText: string; ageSeconds: number; freshness: string },
): string {
  return `{"id":${JSON.stringify(id)},"fetched_at":"${fetchedAtText}","age_seconds":${ageSeconds},"freshness":"${freshness}"}`
}
