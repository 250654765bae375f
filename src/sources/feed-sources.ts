// The feeds of a network as they are read: each found on this machine or fetched from the web, opened, and hashed with
// all that decides what is made of them.
import { basename, join } from 'node:path'
import type { FeedPart } from '../../loaders/gtfs/load-feeds.ts'
import { downloadSource } from './download.ts'
import { describeSource } from './download-failed.ts'
import { hashFeed, type OpenedFeedSource, openFeedSource } from './feed-source.ts'
import { isWebAddress } from './source-stamp.ts'

/** One feed of a network, as it is configured. */
export interface FeedOrder {
  /** A path, or an address on the web. */
  readonly source: string
  /** Put before each id of this feed. */
  readonly prefix: string
}

/** A feed on this machine. */
export interface LocalFeed extends FeedOrder {
  readonly path: string
  /** How reports name it: without secrets. */
  readonly label: string
}

/** How a source is named where people read it: a path as it is, an address without what may be secret in it. */
export function nameSource(source: string): string {
  return isWebAddress(source) ? describeSource(source) : source
}

/** The feeds as local files; those on the web are fetched where they changed. Throws DownloadFailed. */
export async function fetchFeeds(
  feeds: readonly FeedOrder[],
  place: { readonly dataDir: string; readonly network: string },
): Promise<LocalFeed[]> {
  const folder = join(place.dataDir, 'sources', place.network)
  const fetched: LocalFeed[] = []
  for (const [ordinal, feed] of feeds.entries()) {
    if (!isWebAddress(feed.source)) {
      fetched.push({ ...feed, path: feed.source, label: basename(feed.source) })
      continue
    }
    const { path } = await downloadSource({ url: feed.source, folder, name: `feed-${ordinal}` })
    fetched.push({ ...feed, path, label: describeSource(feed.source) })
  }
  return fetched
}

/** A hash that changes with the content of the feeds and with what the configuration says of them. */
export async function hashFeeds(feeds: readonly LocalFeed[], timezone: string | undefined): Promise<string> {
  const hashes: string[] = []
  for (const { path } of feeds) hashes.push(await hashFeed(path))
  const [only] = hashes
  const isPlain = hashes.length === 1 && feeds[0]?.prefix === '' && timezone === undefined
  if (isPlain && only !== undefined) return only
  const parts = feeds.map(({ prefix }, at) => [hashes[at], prefix])
  return new Bun.CryptoHasher('sha256').update(JSON.stringify([parts, timezone ?? null])).digest('hex')
}

/** Runs something with the feeds opened, and closes them. */
export async function withOpenFeeds<Result>(
  feeds: readonly LocalFeed[],
  run: (parts: readonly FeedPart[]) => Promise<Result>,
): Promise<Result> {
  const opened: OpenedFeedSource[] = []
  try {
    const parts: FeedPart[] = []
    for (const { path, prefix, label } of feeds) {
      const source = await openFeedSource(path)
      opened.push(source)
      parts.push({ source, prefix, label })
    }
    return await run(parts)
  } finally {
    for (const source of opened) await source.close()
  }
}
