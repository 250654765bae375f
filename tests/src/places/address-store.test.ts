// Tests the address snapshot on disk. Fails if it is built again although nothing has changed, kept although something
// has changed, served after its bytes were damaged, or lost when a source cannot be read.
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parseQuery } from '../../../indexes/places/place-query.ts'
import { encodeSnapshot } from '../../../loaders/snapshot-file.ts'
import { addressSnapshotPath, importAddresses, openAddresses } from '../../../src/places/address-store.ts'
import { serveAddresses } from '../../../src/places/served-addresses.ts'
import { type AddressRow, presentFile } from '../../feeds/address-file.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'quai-addresses-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const source = join(dataDir, 'addresses.csv.gz')
const order = { dataDir, sources: [source] }
const path = addressSnapshotPath(dataDir)
const ROW: AddressRow = {
  streetId: '75102_6998',
  number: 12,
  street: 'Rue de la Paix',
  postcode: '75002',
  communeCode: '75102',
  commune: 'Paris 2e Arrondissement',
  lat: 48.869141,
  lon: 2.331303,
}

function writeSource(rows: readonly AddressRow[]): void {
  writeFileSync(source, gzipSync(presentFile(rows)))
}

test('a snapshot is made, kept while nothing changes, and made again after a change', async () => {
  expect(openAddresses(path)).toBeUndefined()
  writeSource([ROW])
  expect(await importAddresses(order)).toMatchObject({ outcome: 'imported', houseCount: 1, problems: [] })
  expect(await importAddresses(order)).toMatchObject({ outcome: 'up_to_date', houseCount: 1 })
  const first = openAddresses(path)
  writeSource([ROW, { ...ROW, number: 14 }])
  expect(await importAddresses(order)).toMatchObject({ outcome: 'imported', houseCount: 2 })
  expect(openAddresses(path)?.id).not.toBe(first?.id ?? '')
  // The index that was opened earlier still works, since the file was replaced and not overwritten.
  expect(first?.index.addresses.houses.count).toBe(1)
})

test('a thread finds addresses in it, by words and by place, with the town as in a postal address', () => {
  const served = serveAddresses({ path, attribution: ['BAN'] })
  const [hit] = served?.search.search({ query: parseQuery('12 rue de la paix'), near: undefined, limit: 1 }) ?? []
  if (hit?.kind !== 'address' || served === undefined) throw new Error('the address was not found')
  expect(served.placeOf(hit.street, hit.house).label).toBe('12 Rue de la Paix 75002 Paris')
  expect(served.townAt(48.8692, 2.3313)).toBe('Paris')
  expect(served.townAt(48.9, 2.3313)).toBe('')
  expect(serveAddresses(undefined)).toBeUndefined()
})

test('damaged bytes are detected at the next import, and the snapshot is built again', async () => {
  const bytes = readFileSync(path)
  bytes.fill(0x7f, bytes.length - 400, bytes.length - 300)
  writeFileSync(path, bytes)
  expect(await importAddresses(order)).toMatchObject({ outcome: 'imported', houseCount: 2 })
  writeFileSync(path, 'no snapshot')
  expect(openAddresses(path)).toBeUndefined()
  expect(await importAddresses(order)).toMatchObject({ outcome: 'imported', houseCount: 2 })
})

test('one with columns of another version is built again', async () => {
  const { opened } = openAddresses(path) ?? {}
  if (opened === undefined) throw new Error('no snapshot was imported')
  const columns = new Map(opened.columns)
  columns.delete('houses.suffix')
  writeFileSync(path, Buffer.concat(encodeSnapshot(opened.meta, columns)))
  expect(openAddresses(path)).toBeUndefined()
  expect(await importAddresses(order)).toMatchObject({ outcome: 'imported', houseCount: 2 })
})

test('an unreadable source leaves the previous snapshot', async () => {
  writeFileSync(source, 'stop_id,stop_name\n')
  await expect(importAddresses(order)).rejects.toThrow('missing_required_column')
  rmSync(source)
  await expect(importAddresses(order)).rejects.toThrow('ENOENT')
  expect(openAddresses(path)?.index.addresses.houses.count).toBe(2)
})
