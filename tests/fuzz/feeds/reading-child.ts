// A process that reads the feeds at the given paths, or generated feeds. It reports the outcome for each feed, and its
// own peak memory. In the test's process, the peak would also include other data.

import { readFileSync } from 'node:fs'
import { FeedRefused } from '../../../loaders/feed-problems.ts'
import type { FeedSource } from '../../../loaders/gtfs/feed.ts'
import { loadFeed } from '../../../loaders/gtfs/load-feed.ts'
import { openFeedSource } from '../../../src/sources/feed-source.ts'
import { makeEndlessFeed } from './endless-feeds.ts'

/** The outcome of reading one feed. */
export interface ReadingOutcome {
  readonly feed: string
  /** `loads`, or the rule that refused the feed and the file that the rule names. */
  readonly outcome: string
  readonly example: string
  readonly millis: number
  readonly dropped: number
}

/** The outcomes for all feeds, and the memory that reading them took. */
export interface ChildReport {
  readonly outcomes: readonly ReadingOutcome[]
  /** Highest resident memory of the process, in bytes. */
  readonly peakBytes: number
}

const ENDLESS = 'endless:'

async function openSource(path: string): Promise<FeedSource & { close(): Promise<void> }> {
  if (!path.startsWith(ENDLESS)) return await openFeedSource(path)
  return { ...makeEndlessFeed(path.slice(ENDLESS.length)), close: async () => {} }
}

async function read(path: string): Promise<ReadingOutcome> {
  const started = performance.now()
  const done = (outcome: string, example: string, dropped: number): ReadingOutcome => ({
    ...{ feed: path, outcome, example, dropped },
    millis: Math.round(performance.now() - started),
  })
  try {
    const source = await openSource(path)
    try {
      const { problems } = await loadFeed(source)
      const dropped = [...problems.files.values()].reduce((sum, file) => sum + file.dropped, 0)
      return done('loads', '', dropped)
    } finally {
      await source.close()
    }
  } catch (error) {
    if (!(error instanceof FeedRefused)) throw error
    return done(`${error.problem.rule} ${error.problem.file}`, error.problem.example ?? '', 0)
  }
}

/**
 * The peak memory of this process, in bytes. On Linux, it is read from /proc, because Linux includes in maxRSS the
 * memory that the parent process had at the time of the fork.
 */
function peakBytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  const peak = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  if (peak === undefined) throw new Error('the system reports no VmHWM')
  return Number(peak) * 1024
}

if (import.meta.main) {
  const outcomes: ReadingOutcome[] = []
  for (const path of process.argv.slice(2)) outcomes.push(await read(path))
  const report: ChildReport = { outcomes, peakBytes: peakBytes() }
  console.log(JSON.stringify(report))
}
