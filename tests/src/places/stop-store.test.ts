// Tests the file with a network's searchable stops, next to its snapshot. Fails if an import does not write or update
// the file, if a thread searches a file that was made for another snapshot, another network name or other towns, or if
// damaged files are searched.
import { afterAll, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildStopPlaces } from '../../../indexes/places/stop-places.ts'
import { buildWordBounds } from '../../../indexes/places/word-bounds.ts'
import { importNetwork } from '../../../src/imports/import-network.ts'
import type { Snapshot } from '../../../src/networks/network.ts'
import {
  boundsPath,
  findSnapshot,
  listSnapshots,
  setAsideCorrupt,
  snapshotFolder,
  stopsPath,
} from '../../../src/networks/snapshot-store.ts'
import { addressSnapshotPath, importAddresses, openAddresses } from '../../../src/places/address-store.ts'
import { openBounds, openStops, openTowns, refreshStops, writeStops } from '../../../src/places/stop-store.ts'
import { presentFile } from '../../feeds/address-file.ts'
import { dedent, SMALL_FEED } from '../../feeds/text-feed.ts'
import { timetableOf } from '../../indexes/built-feed.ts'
import { openApi } from '../api/api-under-test.ts'

const root = mkdtempSync(join(tmpdir(), 'quai-stops-'))
afterAll(() => rmSync(root, { recursive: true }))

const WORDS = 'Ville Ville'
const clock = { nowMillis: () => Date.parse('2026-06-10T06:00:00Z') }
let dataDir = ''
let runs = 0
beforeEach(() => {
  dataDir = join(root, String(++runs), 'data')
  mkdirSync(dataDir, { recursive: true })
})

/**
 * Imports the small feed.
 * @param centre replaces the name Centre in it
 */
async function importSmall(centre = 'Centre', more: { force?: boolean; stopWords?: string } = {}) {
  const feed = join(dataDir, 'feed')
  rmSync(feed, { recursive: true, force: true })
  mkdirSync(feed)
  for (const [file, text] of Object.entries(SMALL_FEED)) {
    writeFileSync(join(feed, file), dedent(text).replaceAll('Centre', centre))
  }
  const { outcome } = await importNetwork(
    {
      network: 'ville',
      feeds: [{ source: feed, prefix: '' }],
      timezone: undefined,
      dataDir,
      stopWords: WORDS,
      force: false,
      ...more,
    },
    clock,
  )
  return outcome
}

/** The newest snapshot, and what its stop file must have been made from. */
function newest(towns = '') {
  const { found } = findSnapshot(dataDir, 'ville')
  if (found === undefined) throw new Error('there is no snapshot')
  const { path, loaded } = found
  return { path, snapshot: loaded.snapshot, sources: { snapshot: loaded.snapshot.id, words: WORDS, towns } }
}

test('an import writes the stops that a thread would make, and writes them again only if they are missing', async () => {
  await importSmall()
  const { path, snapshot, sources } = newest()
  const made = buildStopPlaces({ timetable: snapshot.timetable, networkWords: WORDS, townAt: () => '' })
  expect(openStops(stopsPath(path), sources)).toEqual(made)
  rmSync(stopsPath(path))
  expect(openStops(stopsPath(path), sources)).toBeUndefined()
  expect(await importSmall()).toBe('up_to_date')
  expect(openStops(stopsPath(path), sources)).toEqual(made)
  expect(await importSmall('Centre', { stopWords: 'Cité Ville' })).toBe('up_to_date')
  expect(openStops(stopsPath(path), { ...sources, words: 'Cité Ville' })).toBeDefined()
})

test('stops of another snapshot, name, town or version, and damaged ones, are not opened', async () => {
  await importSmall()
  const { path, sources } = newest()
  const file = stopsPath(path)
  expect(openStops(file, { ...sources, snapshot: 'other' })).toBeUndefined()
  expect(openStops(file, { ...sources, words: 'other' })).toBeUndefined()
  expect(openStops(file, { ...sources, towns: 'other' })).toBeUndefined()
  const bytes = readFileSync(file)
  for (const at of [0, 8, 40, 100, Math.floor(bytes.length / 2), bytes.length - 8]) {
    writeFileSync(
      file,
      bytes.map((byte, each) => (each === at ? byte ^ 1 : byte)),
    )
    expect(openStops(file, sources)).toBeUndefined()
  }
  writeFileSync(file, bytes)
  expect(openStops(file, sources)).toBeDefined()
  truncateSync(file, bytes.length - 64)
  expect(openStops(file, sources)).toBeUndefined()
  truncateSync(file, 0)
  expect(openStops(file, sources)).toBeUndefined()
})

test('addresses added later give the stops their towns', async () => {
  await importSmall()
  const csv = join(dataDir, 'addresses.csv')
  const house = { streetId: '67482_1', number: 1, street: 'Rue Haute', postcode: '67000', communeCode: '67482' }
  writeFileSync(csv, presentFile([{ ...house, commune: 'Strasbourg', lat: 48.58, lon: 7.75 }]))
  await importAddresses({ dataDir, sources: [csv] })
  refreshStops(dataDir, [
    { network: 'ville', words: WORDS },
    { network: 'other', words: '' },
  ])
  const towns = openTowns(dataDir)
  expect(towns.id).toBe(openAddresses(addressSnapshotPath(dataDir))?.id ?? '')
  const { path, snapshot, sources } = newest(towns.id)
  const made = buildStopPlaces({ timetable: snapshot.timetable, networkWords: WORDS, townAt: towns.townAt })
  expect(towns.townAt(48.58, 7.75)).toBe('Strasbourg')
  expect(openStops(stopsPath(path), sources)).toEqual(made)
})

test('the bounds are written with the stops, and again if missing or damaged', async () => {
  await importSmall()
  const { path, snapshot, sources } = newest()
  const made = buildWordBounds(
    buildStopPlaces({ timetable: snapshot.timetable, networkWords: WORDS, townAt: () => '' }),
  )
  const file = stopsPath(path)
  expect(openBounds(file, sources)).toEqual(made)
  expect(openBounds(file, { ...sources, words: 'other' })).toBeUndefined()
  const bytes = readFileSync(boundsPath(file))
  writeFileSync(
    boundsPath(file),
    bytes.map((byte, at) => (at === bytes.length - 8 ? byte ^ 1 : byte)),
  )
  expect(openBounds(file, sources)).toBeUndefined()
  writeStops(path, { snapshot, words: WORDS }, openTowns(dataDir))
  expect(openBounds(file, sources)).toEqual(made)
  rmSync(boundsPath(file))
  writeStops(path, { snapshot, words: WORDS }, openTowns(dataDir))
  expect(openBounds(file, sources)).toEqual(made)
})

test('they are removed with their snapshot', async () => {
  for (const name of ['Un', 'Deux', 'Trois', 'Quatre']) await importSmall(name, { force: true })
  const kept = listSnapshots(dataDir, 'ville')
  const files = readdirSync(snapshotFolder(dataDir, 'ville')).filter((name) => name.endsWith('.places'))
  expect(files.length).toBe(kept.length)
  expect(kept.every((path) => existsSync(stopsPath(path)) && existsSync(boundsPath(stopsPath(path))))).toBe(true)
  const [first = ''] = kept
  setAsideCorrupt(first)
  expect(existsSync(stopsPath(first))).toBe(false)
  expect(existsSync(boundsPath(stopsPath(first)))).toBe(false)
})

test('a thread searches the file if it matches what it serves, else its own index', async () => {
  await importSmall()
  const { path, snapshot } = newest()
  // This stop file has other names, but counts as made from the same snapshot. So hits show whether the file was
  // searched.
  const timetable = await timetableOf({
    ...SMALL_FEED,
    'stops.txt': (SMALL_FEED['stops.txt'] ?? '').replaceAll('Centre', 'Autre'),
  })
  rmSync(stopsPath(path))
  const renamed: Snapshot = { ...snapshot, timetable }
  writeStops(path, { snapshot: renamed, words: WORDS }, openTowns(dataDir))
  const ask = async (name: string) => {
    const api = await openApi({ networks: [{ id: 'ville', name }] })
    const [network] = api.networks.list
    if (network === undefined) throw new Error('there is no network')
    Object.assign(network, { current: snapshot, snapshotPath: path })
    const labels = async (query: string): Promise<string[]> =>
      (await api.get(`/v1/places?q=${query}`)).body.data.map((row: { name: string }) => row.name)
    return { autre: await labels('autre'), centre: await labels('centre') }
  }
  expect(await ask('Ville')).toEqual({ autre: ['Centre'], centre: [] })
  expect(await ask('Autrement')).toMatchObject({ centre: ['Centre'] })
})
