// Reads every feed in the corpus of faulty feeds, and returns the outcome for each. `QUAI_FEEDS=<folder> bun
// tests/fuzz/feeds/bad-corpus.ts` prints a table.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { buildTimetable } from '../../../indexes/timetable/build-timetable.ts'
import { FeedRefused } from '../../../loaders/feed-problems.ts'
import type { FeedSource } from '../../../loaders/gtfs/feed.ts'
import { loadFeed } from '../../../loaders/gtfs/load-feed.ts'
import { openFeedSource } from '../../../src/sources/feed-source.ts'
import { findFeedFaults, findProblemFaults, findRefusalFaults, findTimetableFaults } from './invariants.ts'
import { badFeedsFolder, memorySource } from './whole-feed.ts'

/** A feed in the corpus. */
export interface BadFeed {
  readonly name: string
  readonly open: () => Promise<FeedSource & { close(): Promise<void> }>
}

/** The outcome of reading a feed. */
export interface BadFeedOutcome {
  readonly name: string
  readonly outcome: 'loads' | 'refused'
  /** The reported rules, as `rule file`, errors first. */
  readonly rules: readonly string[]
  readonly dropped: number
  readonly millis: number
  readonly memoryMiB: number
  /** Violated invariants of the feed, its boards and its reported problems. Each of them is a bug in the reader. */
  readonly faults: readonly string[]
}

/** Folders whose entries are all feeds. */
const COLLECTIONS = ['transitfeed', 'transitland-examples', 'tidytransit']
const ALONE = ['bart-errors.zip', 'royan-2017-no-agency.zip']
/**
 * The folder with a base feed (`base`) and groups of layers. Each layer is a folder whose files replace files of the
 * base feed or are added to it.
 */
const LAYERS = 'transitland-layers'
const LAYER_GROUPS = ['errors', 'best-practices']
/** Entries that consist of two feeds, each in a subfolder. The entry itself and each of its subfolders are read. */
const PAIRS: Readonly<Record<string, readonly string[]>> = {
  'transitfeed/upgrade_translations': ['old-feed', 'new-feed'],
}

/** The feeds in the corpus. */
export function listBadFeeds(folder: string): BadFeed[] {
  const paths = [
    ...COLLECTIONS.flatMap((each) => listEntries(join(folder, each)).map((name) => `${each}/${name}`)),
    ...ALONE.filter((each) => existsSync(join(folder, each))),
  ].flatMap((name) => [name, ...(PAIRS[name] ?? []).map((inner) => `${name}/${inner}`)])
  const layers = LAYER_GROUPS.flatMap((group) =>
    listEntries(join(folder, LAYERS, group)).map((name) => `${LAYERS}/${group}/${name}`),
  )
  return [
    ...paths.map((name) => ({ name, open: () => openFeedSource(join(folder, name)) })),
    { name: `${LAYERS}/base`, open: () => openFeedSource(join(folder, LAYERS, 'base')) },
    ...layers.map((name) => ({ name, open: async () => openLayer(folder, name) })),
  ]
}

function listEntries(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.zip') || statSync(join(folder, name)).isDirectory())
    .sort()
}

function openLayer(folder: string, name: string): FeedSource & { close(): Promise<void> } {
  const files = new Map<string, Uint8Array>()
  for (const each of [join(folder, LAYERS, 'base'), join(folder, name)]) {
    for (const file of readdirSync(each)) files.set(file, new Uint8Array(readFileSync(join(each, file))))
  }
  return { ...memorySource(files, () => 0.9), close: async () => {} }
}

/** Reads one feed, and checks the feed, its problems and its boards. */
export async function readBadFeed({ name, open }: BadFeed): Promise<BadFeedOutcome> {
  const started = performance.now()
  const done = (end: Omit<BadFeedOutcome, 'name' | 'millis' | 'memoryMiB'>): BadFeedOutcome => ({
    ...{ name, ...end, millis: Math.round(performance.now() - started) },
    memoryMiB: Math.round(process.memoryUsage().rss / 1024 ** 2),
  })
  try {
    const source = await open()
    try {
      const { feed, problems } = await loadFeed(source)
      return done({
        outcome: 'loads',
        rules: [...new Set(problems.list().map(({ rule, file }) => `${rule} ${file}`))],
        dropped: [...problems.files.values()].reduce((sum, counts) => sum + counts.dropped, 0),
        faults: [...findFeedFaults(feed), ...findProblemFaults(problems), ...findTimetableFaults(buildTimetable(feed))],
      })
    } finally {
      await source.close()
    }
  } catch (error) {
    if (!(error instanceof FeedRefused)) throw error
    const { rule, file } = error.problem
    return done({ outcome: 'refused', rules: [`${rule} ${file}`], dropped: 0, faults: findRefusalFaults(error) })
  }
}

const SHOWN_RULES = 3

if (import.meta.main) {
  const folder = badFeedsFolder()
  if (folder === undefined) throw new Error('QUAI_FEEDS names no folder that contains gtfs-bad')
  console.log('| feed | outcome | first rules | rows dropped | ms | RSS, MiB |')
  console.log('|---|---|---|---|---|---|')
  for (const bad of listBadFeeds(folder)) {
    const { name, outcome, rules, dropped, millis, memoryMiB, faults } = await readBadFeed(bad)
    const shown = [
      ...rules.slice(0, SHOWN_RULES),
      ...(rules.length > SHOWN_RULES ? [`+ ${rules.length - SHOWN_RULES}`] : []),
    ]
    console.log(
      `| ${name} | ${outcome} | ${[...shown, ...faults].join('; ')} | ${dropped} | ${millis} | ${memoryMiB} |`,
    )
  }
}
