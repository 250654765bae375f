// The feeds of one network: loaded one after the other into one pool of texts, their ids told apart, their tables joined.
// A single feed goes through untouched.

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
  /** Stands before each of its stop, route and trip ids, which clients see. */
  readonly prefix: string
  /** Names it to people: its files are told apart by it where there are several feeds. */
  readonly label: string
}

/**
 * Loads the feeds of a network as one, at least one. Throws FeedRefused where one of them cannot be served, where they
 * have different time zones and no `timezone` is given, and where two of them have one id.
 */
export async function loadFeeds(parts: readonly FeedPart[], options: LoadOptions = {}): Promise<LoadedFeed> {
  const [only] = parts
  if (only === undefined) throw new Error('a network has at least one feed')
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

/** Two feeds of one name are numbered, so that each problem tells whose it is. */
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
  const told =
    onProgress === undefined ? {} : { onProgress: (file: string, rows: number) => onProgress(nameOf(file), rows) }
  try {
    const { tables, problems } = await readFeed(source, to.strings, { ...to.options, ...told })
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

/** All times of a network are counted in one zone. The last feed is compared with the first. */
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
    suggestion: `set the network's: timezone = ${JSON.stringify(zone)}`,
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
    example: 'its last days are too far from the first day of all feeds; they are left out',
    action: 'repaired',
  })
}
