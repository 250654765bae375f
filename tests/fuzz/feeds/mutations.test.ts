// Tests feeds with random faults at every level, from single bytes to whole files. Each feed must either be read
// without violating an invariant, or be refused with a rule, a file and an example. Fails on any other outcome, such as
// an unexpected exception, a wrong row or a stall.
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildTimetable } from '../../../indexes/timetable/build-timetable.ts'
import { FeedRefused } from '../../../loaders/feed-problems.ts'
import type { FeedSource } from '../../../loaders/gtfs/feed.ts'
import { loadFeed } from '../../../loaders/gtfs/load-feed.ts'
import { pick, seededRandom } from '../../../src/demo/seeded-random.ts'
import { openFeedSource } from '../../../src/sources/feed-source.ts'
import { writeZip } from '../../feeds/zip-writer.ts'
import { bySize, SEED } from '../../size.ts'
import { findFeedFaults, findProblemFaults, findRefusalFaults, findTimetableFaults } from './invariants.ts'
import { mutateFeed, mutateZip } from './mutations.ts'
import { listSeedFeeds, memorySource } from './whole-feed.ts'

const RUNS = bySize({ quick: 300, ci: 600, full: 100_000 })
/** Number of runs with zips, which are read from disk. */
const ZIP_RUNS = RUNS / 4
const STALL_MILLIS = 2_000
const MOST_TRIES = 3
/** After SHOWN defects, a test ends and prints them. */
const SHOWN = 5

const folder = mkdtempSync(join(tmpdir(), 'quai-hostile-feeds-'))
afterAll(() => rmSync(folder, { recursive: true }))

const feeds = [...listSeedFeeds()]

/** Reads a feed, and checks the feed, its problems and its boards. Returns the defects and the outcome. */
async function examine(source: FeedSource): Promise<{ faults: string[]; outcome: string }> {
  try {
    const { feed, problems } = await loadFeed(source)
    const faults = [...findFeedFaults(feed), ...findProblemFaults(problems)]
    if (faults.length > 0) return { faults, outcome: 'loads' }
    return {
      faults: findTimetableFaults(buildTimetable(feed)),
      outcome: problems.list().length > 0 ? 'mended' : 'loads',
    }
  } catch (error) {
    return examineRefusal(error)
  }
}

function examineRefusal(error: unknown): { faults: string[]; outcome: string } {
  if (error instanceof FeedRefused) return { faults: findRefusalFaults(error), outcome: 'refused' }
  const faults = [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  return { faults, outcome: 'failed' }
}

/**
 * The result of a case, and its shortest time in up to `MOST_TRIES` attempts. A stall counts only if it happens in
 * every attempt, because a busy machine can cause a single stall.
 */
async function timeCase<T>(runCase: () => Promise<T>): Promise<T & { millis: number }> {
  for (let least = Infinity, tries = 1; ; tries++) {
    const started = performance.now()
    const result = await runCase()
    least = Math.min(least, performance.now() - started)
    if (least <= STALL_MILLIS || tries === MOST_TRIES) return { ...result, millis: least }
  }
}

/**
 * Runs cases until `SHOWN` defects are found. The message of each defect contains the seed and the number of the case,
 * so that the case can be repeated.
 */
async function runCases(
  count: number,
  runCase: (run: number) => Promise<{ faults: string[]; outcome: string; what: string }>,
): Promise<{ defects: string[]; outcomes: Record<string, number> }> {
  const defects: string[] = []
  const outcomes: Record<string, number> = {}
  for (let run = 0; run < count && defects.length < SHOWN; run++) {
    const { faults, outcome, what, millis } = await timeCase(() => runCase(run))
    if (millis > STALL_MILLIS) faults.push(`took ${Math.round(millis)} ms`)
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    if (faults.length > 0) defects.push(`QUAI_SEED=${SEED} run ${run} (${what}):\n  ${faults.join('\n  ')}`)
  }
  return { defects, outcomes }
}

test(`${RUNS - ZIP_RUNS} feeds with faulty files are read correctly or rejected (seed ${SEED})`, async () => {
  const { defects, outcomes } = await runCases(RUNS - ZIP_RUNS, async (run) => {
    const random = seededRandom(SEED, `feed ${run}`)
    const [name, files] = pick(random, feeds)
    const mutant = mutateFeed(files, random)
    const examined = await examine(memorySource(mutant.files, random))
    return { ...examined, what: `${name}: ${mutant.changes.join('; ')}` }
  })
  expect(defects).toEqual([])
  // All three outcomes must occur: if the mutations broke every feed, or none, this test would check nothing.
  expect(Object.keys(outcomes).sort()).toEqual(['loads', 'mended', 'refused'])
}, 1_800_000)

test(`${ZIP_RUNS} zips with faulty bytes are read correctly or rejected (seed ${SEED})`, async () => {
  const zips = feeds.map(([name, files]) => {
    const entries = [...files].map(([file, content]) => ({ name: file, content }))
    const [first, ...rest] = entries
    return [name, writeZip(first === undefined ? [] : [{ ...first, isStored: true }, ...rest])] as const
  })
  const { defects } = await runCases(ZIP_RUNS, async (run) => {
    const random = seededRandom(SEED, `zip ${run}`)
    const [name, zip] = pick(random, zips)
    const mutant = mutateZip(zip, random)
    const path = join(folder, 'feed.zip')
    writeFileSync(path, mutant.zip)
    const what = `${name}: ${mutant.changes.join('; ')}`
    try {
      const source = await openFeedSource(path)
      const examined = await examine(source)
      await source.close()
      return { ...examined, what }
    } catch (error) {
      return { ...examineRefusal(error), what }
    }
  })
  expect(defects).toEqual([])
}, 1_800_000)
