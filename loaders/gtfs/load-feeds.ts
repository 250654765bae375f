// Loads the feeds of a network into one string pool, qualifies their ids and joins their tables. A single feed without a
// prefix is loaded unchanged.

import { FeedProblems, FeedRefused } from '../feed-problems.ts'
import { StringPoolBuilder } from '../strings.ts'
import type { AgencyRow, FeedSource, FeedTables } from './feed.ts'
import { type NamedFeed, refuseCollidingIds } from './id-collisions.ts'
import { type LoadedFeed, type LoadOptions, loadFeed, readFeed } from './load-feed.ts'
import { mergeFeeds } from './merge-feeds.ts'
import { qualifyIds } from './qualified-ids.ts'

/** One feed of a network. */
export interface FeedPart {
  readonly source: FeedSource
  /** Prefix of the stop, route and trip ids that clients see. */
  readonly prefix: string
  /** Name of the feed in messages. In a network with several feeds, problems name files as `label/file`. */
  readonly label: string
}

/**
 * Loads one or more feeds of a network as one feed. Throws FeedRefused if one of them cannot be served, if they have
 * different time zones and no `timezone` is given, or if two of them have a stop, route or trip with the same id.
 */
export async function loadFeeds(parts: readonly FeedPart[], options: LoadOptions = {}): Promise<LoadedFeed> {
  const [only] = parts
  if (only === undefined) throw new Error('the network has no feeds')
  if (parts.length === 1 && only.prefix === '') return await loadFeed(only.source, options)
  const strings = new StringPoolBuilder()
  if (parts.length === 1) {
    const { tables, problems } = await readFeed(only.source, strings, options)
    const qualified = qualifyIds(tables, strings, { prefix: only.prefix, ordinal: undefined })
    return { problems, feed: { ...qualified, strings: strings.seal() } }
  }
  const problems = new FeedProblems()
  const feeds: NamedFeed[] = []
  for (const [ordinal, part] of withDistinctLabels(parts).entries()) {
    const { prefix, label } = part
    const tables = await readPart(part, { strings, problems, options })
    feeds.push({ label, prefix, tables: qualifyIds(tables, strings, { prefix, ordinal }) })
    refuseSecondZone(feeds, strings)
  }
  refuseCollidingIds(feeds, strings)
  const { tables, cutFeeds } = mergeFeeds(feeds.map((feed) => feed.tables))
  for (const feed of cutFeeds) reportCutDays(problems, feeds[feed]?.label ?? '')
  return { problems, feed: { ...tables, strings: strings.seal() } }
}

/** Adds a number to labels that several feeds share (`label#2`), so that each problem identifies its feed. */
function withDistinctLabels(parts: readonly FeedPart[]): FeedPart[] {
  const isShared = (label: string) => parts.filter((part) => part.label === label).length > 1
  return parts.map((part, at) => ({ ...part, label: isShared(part.label) ? `${part.label}#${at + 1}` : part.label }))
}

async function readPart(
  { source, label }: FeedPart,
  to: { readonly strings: StringPoolBuilder; readonly problems: FeedProblems; readonly options: LoadOptions },
): Promise<FeedTables> {
  const { onProgress } = to.options
  const nameOf = (file: string) => `${label}/${file}`
  const progress =
    onProgress === undefined ? {} : { onProgress: (file: string, rows: number) => onProgress(nameOf(file), rows) }
  try {
    const { tables, problems } = await readFeed(source, to.strings, { ...to.options, ...progress })
    to.problems.add(problems, nameOf)
    return tables
  } catch (error) {
    if (!(error instanceof FeedRefused)) throw error
    const refused = new FeedRefused({ ...error.problem, file: nameOf(error.problem.file) })
    refused.found = [
      ...to.problems.list(),
      ...error.found.map((problem) => ({ ...problem, file: nameOf(problem.file) })),
    ]
    throw refused
  }
}

/**
 * Throws if the time zone of the last feed differs from that of the first, because all times in a network are in one
 * time zone.
 */
function refuseSecondZone(feeds: readonly NamedFeed[], strings: StringPoolBuilder): void {
  const [first] = feeds
  const last = feeds.at(-1)
  if (first === undefined || last === undefined) return
  const [zone, other] = [zoneOf(first.tables, strings), zoneOf(last.tables, strings)]
  if (zone === other) return
  throw new FeedRefused({
    rule: 'inconsistent_agency_timezone',
    file: `${last.label}/agency.txt`,
    line: 0,
    field: 'agency_timezone',
    example: `${zone} in ${first.label} and ${other} in ${last.label}`,
    suggestion: `in the network's settings, set timezone = ${JSON.stringify(zone)}`,
    action: 'refused_feed',
  })
}

function zoneOf({ agencies }: FeedTables, strings: StringPoolBuilder): string {
  return strings.textOf(agencies.timezone[0 as AgencyRow])
}

function reportCutDays(problems: FeedProblems, label: string): void {
  problems.report({
    rule: 'number_out_of_range',
    file: `${label}/calendar.txt`,
    line: 0,
    field: 'end_date',
    example: 'its last days are ignored, because they are too far from the earliest day in the feeds',
    action: 'repaired',
  })
}
