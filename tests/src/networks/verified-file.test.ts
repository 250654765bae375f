// Tests the verification of a snapshot file in pieces. Wherever the file is damaged, the result must be the same as if
// all bytes were checked at once.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { encodeSnapshot, findCorruptColumns, openSnapshot } from '../../../loaders/snapshot-file.ts'
import { verifyFile } from '../../../src/networks/verified-file.ts'
import { bySize, SEED } from '../../size.ts'

const RUNS = { seed: SEED, numRuns: bySize({ quick: 100, ci: 200, full: 3_000 }) }
/** Larger than the pieces in which the file is read. */
const LONG = 1_300_000

let folder: string
let sound: Uint8Array
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quai-verify-'))
  const columns = new Map(
    Object.entries({
      short: Uint8Array.of(1, 2, 3),
      empty: new Uint32Array(0),
      long: Float64Array.from({ length: LONG / 8 }, (_, at) => at / 7),
      last: Uint16Array.of(4, 5),
    }),
  )
  sound = Buffer.concat(encodeSnapshot({ name: 'test' }, columns))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Writes the bytes to a file and verifies it. */
async function verified(bytes: Uint8Array): Promise<string[]> {
  const path = join(folder, 'one.snapshot')
  writeFileSync(path, bytes)
  return await verifyFile(path, openSnapshot(sound))
}

test('a sound file has no corrupt columns', async () => {
  expect(await verified(sound)).toEqual([])
})

test('damage is found in the same columns as by checking all bytes at once', async () => {
  const { directoryEnd } = openSnapshot(sound)
  const nearEnds = fc.oneof(
    fc.integer({ min: directoryEnd, max: sound.length - 1 }),
    fc.integer({ min: directoryEnd, max: directoryEnd + 300 }),
    fc.integer({ min: sound.length - 200, max: sound.length - 1 }),
  )
  const flips = fc.array(fc.record({ at: nearEnds, bit: fc.integer({ min: 0, max: 7 }) }), {
    minLength: 1,
    maxLength: 3,
  })
  await fc.assert(
    fc.asyncProperty(flips, async (list) => {
      const bytes = Uint8Array.from(sound)
      for (const { at, bit } of list) bytes[at] = bytes[at] ^ (1 << bit)
      expect((await verified(bytes)).sort()).toEqual(findCorruptColumns(openSnapshot(bytes)).sort())
    }),
    RUNS,
  )
}, 120_000)

test('a file that has become shorter is corrupt', async () => {
  const path = join(folder, 'shorter.snapshot')
  writeFileSync(path, sound)
  truncateSync(path, LONG / 2)
  expect(await verifyFile(path, openSnapshot(sound))).toEqual(['long', '(between the columns)', 'last'])
})
