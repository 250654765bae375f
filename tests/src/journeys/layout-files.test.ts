// Tests the files that contain a large network's prepared days, next to its snapshot. Fails if an import does not write
// the files, if a planner prepares days that a file contains, if a planner answers differently with a file, if it uses
// a damaged file or one that was made with other rules, or if old files are not removed.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importNetwork } from '../../../src/imports/import-network.ts'
import { JourneyPlanning } from '../../../src/journeys/journey-planning.ts'
import { type LayoutRules, layoutRulesOf, nameLayouts, shareInFiles } from '../../../src/journeys/layout-files.ts'
import { Networks } from '../../../src/networks/network.ts'
import { findSnapshot, listLayouts, placeSnapshot, setAsideCorrupt } from '../../../src/networks/snapshot-store.ts'
import { SnapshotViews } from '../../../src/rendering/snapshot-view.ts'
import { dedent, SMALL_FEED, smallFeed } from '../../feeds/text-feed.ts'
import { openNetwork } from '../api/api-under-test.ts'
import { EIGHT_SECONDS, questionOf } from './questions.ts'

/** Enough trips for the network to count as large. They are spread over the whole day, and each has two calls. */
const TRIPS = 200_000
const DAY_SECONDS = 86_400
/** A time before any file of this test was written. */
const LONG_AGO = new Date('2026-01-01')

const dataDir = mkdtempSync(join(tmpdir(), 'quai-layouts-'))
afterAll(() => rmSync(dataDir, { recursive: true }))
beforeAll(() => writeLargeFeed('Port'))

function writeLargeFeed(headsign: string): void {
  const feed = join(dataDir, 'feed')
  mkdirSync(feed, { recursive: true })
  for (const [file, text] of Object.entries(SMALL_FEED)) writeFileSync(join(feed, file), dedent(text))
  const trips: string[] = []
  const calls: string[] = []
  for (let trip = 0; trip < TRIPS; trip++) {
    const minutes = trip % (DAY_SECONDS / 60)
    const time = `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
    trips.push(`7,daily,x${trip},${headsign},0`)
    calls.push(`x${trip},${time}:00,${time}:00,CA,1`, `x${trip},${time}:30,${time}:30,T,2`)
  }
  writeFileSync(join(feed, 'trips.txt'), `${dedent(SMALL_FEED['trips.txt'] ?? '')}${trips.join('\n')}\n`)
  writeFileSync(join(feed, 'stop_times.txt'), `${dedent(SMALL_FEED['stop_times.txt'] ?? '')}${calls.join('\n')}\n`)
}

async function importLarge(layoutRules: LayoutRules | undefined): Promise<string> {
  const feeds = [{ source: join(dataDir, 'feed'), prefix: '' }]
  const order = { network: 'ville', feeds, timezone: undefined, dataDir, force: true, layoutRules }
  const report = await importNetwork(order, { nowMillis: () => EIGHT_SECONDS * 1000 })
  expect(report).toMatchObject({ outcome: 'imported', warnings: [] })
  return report.snapshotPath ?? ''
}

function newest() {
  const { found } = findSnapshot(dataDir, 'ville')
  if (found === undefined) throw new Error('there is no snapshot')
  return found
}

/**
 * Creates a planner for the newest snapshot.
 * @param snapshotPath undefined to plan without files
 */
async function planningAt(snapshotPath: string | undefined): Promise<JourneyPlanning> {
  const network = await openNetwork({ id: 'ville', feed: smallFeed() })
  Object.assign(network, { current: newest().loaded.snapshot, snapshotPath })
  return new JourneyPlanning(new SnapshotViews(new Networks([network]), 0))
}

const kindsOf = (path: string) => listLayouts(path).map((each) => /\.(changes|days)-[0-9a-f]+\.layout$/.exec(each)?.[1])

/**
 * Sets the modification times of all layout files to LONG_AGO. Returns a function that checks whether any file was
 * written since then.
 */
function watchFiles(path: string): () => boolean {
  for (const each of listLayouts(path)) utimesSync(each, LONG_AGO, LONG_AGO)
  return () => listLayouts(path).some((each) => statSync(each).mtimeMs !== LONG_AGO.getTime())
}

test('an import makes the layouts; planners use them, with the same results as without', async () => {
  const path = await importLarge(layoutRulesOf())
  expect(kindsOf(path).sort()).toEqual(['changes', 'days'])
  const wasWritten = watchFiles(path)
  const planning = await planningAt(path)
  const questions = [questionOf('ville'), questionOf('ville', { maxTransfers: 0 }), questionOf('ville', { limit: 1 })]
  const answers = questions.map((question) => planning.answer(question, 5000))
  expect(wasWritten()).toBe(false)
  const without = await planningAt(undefined)
  expect(answers).toEqual(questions.map((question) => without.answer(question, 5000)))
  expect(answers[0]?.kind).toBe('journeys')
})

test('missing layouts are made by the first planner that needs them, and used by the next', async () => {
  const path = newest().path
  const arrivals = questionOf('ville', { isArriveBy: true, seconds: EIGHT_SECONDS + 3600 })
  const first = (await planningAt(path)).answer(arrivals, 5000)
  expect(kindsOf(path).sort()).toEqual(['changes', 'days', 'days'])
  const wasWritten = watchFiles(path)
  expect((await planningAt(path)).answer(arrivals, 5000)).toEqual(first)
  expect(wasWritten()).toBe(false)
  expect((await planningAt(undefined)).answer(arrivals, 5000)).toEqual(first)
})

test('a damaged, truncated or empty file is not used, and made again', async () => {
  const { path, loaded } = newest()
  const sound = (await planningAt(undefined)).answer(questionOf('ville'), 5000)
  const share = shareInFiles({ snapshotPath: path, name: nameOf(loaded.snapshot.id), warn: () => undefined })
  const files = listLayouts(path).map((each) => [each, readFileSync(each)] as const)
  const damages: ((bytes: Buffer) => Uint8Array)[] = [
    (bytes) => bytes.with(bytes.length - 100, (bytes[bytes.length - 100] ?? 0) ^ 1),
    () => new Uint8Array(),
    (bytes) => bytes.subarray(0, bytes.length / 2),
  ]
  for (const damage of damages) {
    for (const [each, bytes] of files) writeFileSync(each, damage(bytes))
    expect(share.find('changes')).toBeUndefined()
  }
  expect((await planningAt(path)).answer(questionOf('ville'), 5000)).toEqual(sound)
  for (const [each, bytes] of files) if (each.includes('.changes-')) expect(readFileSync(each)).toEqual(bytes)
})

test('layouts of other rules, another snapshot or step-free trips are not used', () => {
  const { path: snapshotPath, loaded } = newest()
  const warn = () => undefined
  const rules = { transferWalkMeters: 500, changeSeconds: 60, isWheelchair: false }
  const find = (id: string, of: typeof rules) =>
    shareInFiles({ snapshotPath, name: nameLayouts(id, of), warn }).find('changes')
  const { id } = loaded.snapshot
  expect(find(id, rules)?.kind).toBe('changes')
  expect(find('other', rules)).toBeUndefined()
  expect(find(id, { ...rules, transferWalkMeters: 400 })).toBeUndefined()
  expect(find(id, { ...rules, changeSeconds: 120 })).toBeUndefined()
  expect(find(id, { ...rules, isWheelchair: true })).toBeUndefined()
  expect(layoutRulesOf(undefined, true)).toBeUndefined()
})

test('a read-only folder is reported, and journeys are still planned', () => {
  const { loaded } = newest()
  const warnings: string[] = []
  const place = {
    snapshotPath: join(dataDir, 'gone', 'x.snapshot'),
    name: 'x',
    warn: (one: string) => warnings.push(one),
  }
  const share = shareInFiles(place)
  const layout = shareInFiles({ ...place, snapshotPath: newest().path, name: nameOf(loaded.snapshot.id) }).find(
    'changes',
  )
  if (layout === undefined) throw new Error('the import did not make the layout')
  expect(share.put('changes', layout)).toBe(layout)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain('ENOENT')
})

const nameOf = (id: string) => nameLayouts(id, { transferWalkMeters: 500, changeSeconds: 60, isWheelchair: false })

test('only the newest files of each kind stay, and none once the snapshot is replaced or damaged', () => {
  const { path: snapshotPath, loaded } = newest()
  const share = shareInFiles({ snapshotPath, name: nameOf(loaded.snapshot.id), warn: () => undefined })
  const changes = share.find('changes')
  if (changes?.kind !== 'changes') throw new Error('the import did not make the layout')
  for (let key = 0; key < 9; key++) {
    watchFiles(snapshotPath)
    share.put(`changes ${key}`, changes)
  }
  expect(kindsOf(snapshotPath).filter((kind) => kind === 'changes')).toHaveLength(3)
  expect(share.find('changes 8')).toEqual(changes)
  const aside = join(dataDir, 'copy')
  copyFileSync(snapshotPath, aside)
  const next = placeSnapshot(aside, { dataDir, network: 'ville', name: 'next' })
  expect(listLayouts(snapshotPath)).toEqual([])
  shareInFiles({ snapshotPath: next, name: 'any', warn: () => undefined }).put('changes', changes)
  expect(listLayouts(next)).toHaveLength(1)
  setAsideCorrupt(next)
  expect(listLayouts(next)).toEqual([])
})
