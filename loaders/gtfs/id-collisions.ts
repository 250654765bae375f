// Finds stop, route and trip ids that occur in more than one feed of a network. Clients could not tell these stops,
// routes or trips apart, so the network is refused. The error suggests prefixes that solve the problem.
import { columnArray } from '../columns.ts'
import { FeedRefused } from '../feed-problems.ts'
import type { StringIndex, StringPoolBuilder } from '../strings.ts'
import type { FeedTables } from './feed.ts'

/** One feed of a network. Its ids have already been qualified by qualified-ids.ts. */
export interface NamedFeed {
  readonly tables: FeedTables
  readonly prefix: string
  /** Name of the feed in messages; unique in the network. */
  readonly label: string
}

/** The kinds of ids that clients see, and the file of each kind. */
const PUBLIC_IDS = [
  { kind: 'stop', file: 'stops.txt', idsOf: ({ stops }: FeedTables) => stops.id },
  { kind: 'route', file: 'routes.txt', idsOf: ({ routes }: FeedTables) => routes.id },
  { kind: 'trip', file: 'trips.txt', idsOf: ({ trips }: FeedTables) => trips.id },
] as const

/** The ids of one kind that several feeds have. */
interface Collisions {
  readonly kind: string
  readonly file: string
  readonly count: number
  /** An id that several feeds have, and the indexes of two of these feeds. */
  readonly example: { readonly id: StringIndex; readonly first: number; readonly second: number }
  /** Indexes of the feeds that repeat an id from an earlier feed. */
  readonly laterFeeds: ReadonlySet<number>
}

/** Throws FeedRefused with the rule `colliding_ids` if two feeds have the same stop, route or trip id. */
export function refuseCollidingIds(feeds: readonly NamedFeed[], strings: StringPoolBuilder): void {
  const collisions = PUBLIC_IDS.flatMap((ids) => findCollisions(ids, feeds, strings.count) ?? [])
  const [first] = collisions
  if (first === undefined) return
  const { example, kind, file } = first
  const labels = [feeds[example.first], feeds[example.second]].map((feed) => feed?.label ?? '')
  const counts = collisions.map((each) => `${each.count} ${each.kind} ${each.count === 1 ? 'id' : 'ids'}`).join(', ')
  const id = JSON.stringify(strings.textOf(example.id))
  const renamed = new Set(collisions.flatMap(({ laterFeeds }) => [...laterFeeds]))
  throw new FeedRefused({
    rule: 'colliding_ids',
    file: `${labels[1]}/${file}`,
    line: 0,
    field: `${kind}_id`,
    example: `${counts} in more than one feed; for example, ${labels.join(' and ')} both have the ${kind} id ${id}`,
    suggestion: `set prefixes: ${suggestPrefixes(feeds, renamed, strings)}`,
    action: 'refused_feed',
  })
}

function findCollisions(
  ids: (typeof PUBLIC_IDS)[number],
  feeds: readonly NamedFeed[],
  textCount: number,
): Collisions | undefined {
  /** String → 1 + the index of the first feed that has the string as an id; 0 if no feed has it. */
  const holder = new Uint16Array(textCount)
  const colliding = new Set<number>()
  const laterFeeds = new Set<number>()
  let example: Collisions['example'] | undefined
  for (const [feed, { tables }] of feeds.entries()) {
    for (const id of columnArray(ids.idsOf(tables))) {
      const first = holder[id] - 1
      if (first < 0) holder[id] = feed + 1
      if (first < 0 || first === feed) continue
      colliding.add(id)
      laterFeeds.add(feed)
      example ??= { id: id as StringIndex, first, second: feed }
    }
  }
  if (example === undefined) return undefined
  return { kind: ids.kind, file: ids.file, count: colliding.size, example, laterFeeds }
}

/**
 * The suggested `gtfs` setting, with new prefixes for the feeds in `renamed`. The other feeds keep their ids, because
 * clients may have stored them.
 */
function suggestPrefixes(
  feeds: readonly NamedFeed[],
  renamed: ReadonlySet<number>,
  strings: StringPoolBuilder,
): string {
  const entries = feeds.map(({ label, prefix }, feed) => {
    const newPrefix = renamed.has(feed) ? `${findFreePrefix(feeds, feed, strings)}${prefix}` : prefix
    const source = `source = ${JSON.stringify(label)}`
    return newPrefix === '' ? `{ ${source} }` : `{ ${source}, prefix = ${JSON.stringify(newPrefix)} }`
  })
  return `gtfs = [${entries.join(', ')}]`
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/**
 * A prefix that depends on the position of a feed, such as `b-` for the second feed. While any id in another feed
 * starts with the prefix, the letter is repeated: `bb-`.
 */
function findFreePrefix(feeds: readonly NamedFeed[], feed: number, strings: StringPoolBuilder): string {
  const letter = LETTERS[feed] ?? `f${feed + 1}`
  const others = feeds.filter((_, other) => other !== feed).map(({ tables }) => tables)
  let name = letter
  while (others.some((tables) => hasIdFrom(tables, `${name}-`, strings))) name += letter
  return `${name}-`
}

function hasIdFrom(tables: FeedTables, prefix: string, strings: StringPoolBuilder): boolean {
  return PUBLIC_IDS.some(({ idsOf }) =>
    columnArray(idsOf(tables)).some((id) => strings.textOf(id as StringIndex).startsWith(prefix)),
  )
}
