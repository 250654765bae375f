// Tests base maps that are damaged on disk: truncated, with a flipped bit, partly overwritten, or extended. Each damage
// must be noticed, and the map must be built again with the same bytes. Fails if a damaged map is served or kept.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { loadConfig } from '../../../src/config/config.ts'
import { importNetwork } from '../../../src/imports/import-network.ts'
import { GroundControl } from '../../../src/streets/ground-control.ts'
import { importGround } from '../../../src/streets/ground-import.ts'
import { findDamage } from '../../../src/streets/ground-seal.ts'
import { listGrounds } from '../../../src/streets/ground-store.ts'
import { importStreets } from '../../../src/streets/street-import.ts'
import { findStreets } from '../../../src/streets/street-store.ts'
import { TRUE_CLOCK } from '../../../src/system/clock.ts'
import { streetFile } from '../../feeds/small-streets.ts'
import { dedent, SMALL_FEED } from '../../feeds/text-feed.ts'
import { bySize, SEED } from '../../size.ts'

const DAMAGES = bySize({ quick: 40, ci: 240, full: 2_000 })
const folder = mkdtempSync(join(tmpdir(), 'quai-ground-'))
const dataDir = join(folder, 'data')
const extract = join(folder, 'ville.osm.pbf')
const order = { dataDir, sources: [extract], hasBuildings: true, attribution: '© OpenStreetMap contributors' }
let path = ''
let whole: Buffer

beforeAll(async () => {
  const feed = join(folder, 'ville')
  mkdirSync(feed)
  for (const [name, text] of Object.entries(SMALL_FEED)) writeFileSync(join(feed, name), dedent(text))
  const feeds = [{ source: feed, prefix: '' }]
  await importNetwork({ network: 'ville', feeds, timezone: undefined, dataDir, force: true }, TRUE_CLOCK)
  writeFileSync(extract, streetFile())
  await importStreets({ dataDir, sources: [extract], networks: [{ id: 'ville', transferWalkMeters: 500 }] })
  const report = await importGround(order)
  path = report.path ?? ''
  whole = readFileSync(path)
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Seeded random numbers from 0 to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A damaged copy of the map's bytes. */
function damaged(random: () => number): Buffer {
  const copy = Buffer.from(whole)
  const at = Math.floor(random() * copy.length)
  switch (Math.floor(random() * 4)) {
    case 0:
      return copy.subarray(0, at)
    case 1:
      copy[at] ^= 1 << Math.floor(random() * 8)
      return copy
    case 2:
      copy.fill(copy[at] ^ 0x55, at, Math.min(copy.length, at + 1 + Math.floor(random() * 64)))
      return copy
    default:
      return Buffer.concat([copy, copy.subarray(at)])
  }
}

test('an intact map is complete, and is kept', async () => {
  expect(findDamage(path)).toBeUndefined()
  expect(await importGround(order)).toMatchObject({ outcome: 'up_to_date', path, warnings: [] })
})

test('each kind of damage is detected', () => {
  console.log(`damaged maps: seed ${SEED}`)
  const random = randomNumbers(SEED)
  const other = join(folder, 'other.pmtiles')
  for (let at = 0; at < DAMAGES; at++) {
    const bytes = damaged(random)
    if (bytes.equals(whole)) continue
    writeFileSync(other, bytes)
    expect(findDamage(other)).toMatch(/only \d+ bytes|has \d+ of \d+ bytes|checksum/)
  }
})

test('a damaged map is not served, and is made again with the same bytes', async () => {
  const lines: string[] = []
  const settings = join(folder, 'quai.toml')
  writeFileSync(settings, `data_dir = "${dataDir}"\nstreets = ["${extract}"]\n`)
  const config = loadConfig({ file: settings, flags: {} })
  const streets = findStreets(dataDir)
  for (const bytes of [whole.subarray(0, -5), Buffer.from(whole).fill(7, 16_400, 16_402), Buffer.alloc(0)]) {
    writeFileSync(path, bytes)
    const control = new GroundControl(config, (line) => lines.push(line))
    control.find(config, streets)
    expect([control.path, listGrounds(dataDir)]).toEqual([undefined, []])
    const report = await importGround(order)
    expect([report.outcome, report.path, readFileSync(path).equals(whole)]).toEqual(['imported', path, true])
    control.find(config, streets)
    expect(control.path).toBe(path)
  }
  expect(lines.map((line) => line.replace(/\d+/g, '0'))).toEqual([
    `map: ${basename(path).replace(/\d+/g, '0')} is damaged and will be built again: it has 0 of 0 bytes`,
    `map: ${basename(path).replace(/\d+/g, '0')} is damaged and will be built again: its checksum differs`,
    `map: ${basename(path).replace(/\d+/g, '0')} is damaged and will be built again: it has only 0 bytes`,
  ])
}, 60_000)

test('a separate import makes a damaged map again, and reports it', async () => {
  writeFileSync(path, whole.subarray(0, -1))
  const report = await importGround(order)
  expect([report.outcome, readFileSync(path).equals(whole)]).toEqual(['imported', true])
  expect(report.warnings).toEqual([
    `${basename(path)} is damaged and will be built again: it has ${whole.length - 1} of ${whole.length} bytes`,
  ])
})
