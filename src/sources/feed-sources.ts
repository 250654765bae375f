// Opens the feeds of a network, which are local files or downloads. Also hashes the feeds together with all settings
// that affect the import.
import { basename, join } from 'node:path'
import type { FeedPart } from '../../loaders/gtfs/load-feeds.ts'
import { downloadSource } from './download.ts'
import { describeSource } from './download-failed.ts'
import { hashFeed, type OpenedFeedSource, openFeedSource } from './feed-source.ts'
import { isWebAddress, stampSources } from './source-stamp.ts'

/** A configured feed of a network. */
export interface FeedOrder {
  /** A path or a URL. */
  readonly source: string
  /** Prefix for all ids of this feed. */
  readonly prefix: string
}

/** A feed on this machine. */
export interface LocalFeed extends FeedOrder {
  readonly path: string
  /** Name of the feed in reports; contains no secrets. */
  readonly label: string
}

/** The name of a source for messages: a path as it is, or a URL without its secrets. */
export function nameSource(source: string): string {
  return isWebAddress(source) ? describeSource(source) : source
}

/** Returns the feeds as local files, downloading those on the web if they changed. Throws DownloadFailed. */
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

/**
 * A stamp of the feeds' files, their settings and the time zone. While the stamp is unchanged, the result of
 * `hashFeeds` is assumed to be unchanged. The stamp is cheap, because no file is read.
 */
export function stampInput(feeds: readonly LocalFeed[], timezone: string | undefined): string {
  const files = stampSources(feeds.map(({ path }) => path))
  const prefixes = feeds.map(({ prefix }) => prefix)
  return new Bun.CryptoHasher('sha256').update(JSON.stringify([files, prefixes, timezone ?? null])).digest('base64url')
}

/** Hash of the feeds' content, their settings and the time zone. */
export async function hashFeeds(feeds: readonly LocalFeed[], timezone: string | undefined): Promise<string> {
  const hashes: string[] = []
  for (const { path } of feeds) hashes.push(await hashFeed(path))
  const [only] = hashes
  const isPlain = hashes.length === 1 && feeds[0]?.prefix === '' && timezone === undefined
  if (isPlain && only !== undefined) return only
  const parts = feeds.map(({ prefix }, at) => [hashes[at], prefix])
  return new Bun.CryptoHasher('sha256').update(JSON.stringify([parts, timezone ?? null])).digest('hex')
}

/** Runs a function with the feeds open, then closes them. */
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
