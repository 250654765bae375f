// Tests that the columns of a snapshot file survive a round trip, and that damage is detected. Fails if columns are
// mixed up, if a damaged file is accepted, or if any error other than SnapshotUnusable is thrown.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { TypedArray } from '../../loaders/columns.ts'
import {
  encodeSnapshot,
  findCorruptColumns,
  type NamedColumns,
  openSnapshot,
  SNAPSHOT_FORMAT_VERSION,
  SnapshotUnusable,
} from '../../loaders/snapshot-file.ts'
import { bySize, SEED } from '../size.ts'

const runs = { seed: SEED, numRuns: bySize({ quick: 200, ci: 2_000, full: 20_000 }) }
const HEADER_BYTES = 64
const META = { network: 'ville', trips: 7, names: ['Gare', 'Élan'], nothing: null }

/** A column of each kind, with the limits of its values, and a column without rows. */
const COLUMNS = new Map<string, TypedArray>([
  ['u8', Uint8Array.of(0, 255, 7)],
  ['i8', Int8Array.of(-128, 127)],
  ['u16', Uint16Array.of(0, 65_535)],
  ['i16', Int16Array.of(-32_768, 32_767)],
  ['none', new Uint32Array(0)],
  ['u32', Uint32Array.of(0, 0xffff_ffff)],
  ['i32', Int32Array.of(-2_147_483_648, 2_147_483_647)],
  ['f32', Float32Array.of(0.5, Number.NaN, -0)],
  ['f64', Float64Array.of(48.5801, Number.NaN, Number.MAX_VALUE)],
])

/** The bytes of a snapshot, at the start of their own buffer, as in a mapped file. */
function written(meta: unknown = META, columns: NamedColumns = COLUMNS): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(encodeSnapshot(meta, columns)))
}

/** Each column as its name, its kind and its bytes, so that NaN and −0 are compared exactly. */
function inBytes(columns: NamedColumns): string[] {
  return [...columns].map(
    ([name, array]) =>
      `${name} ${array.constructor.name} ${new Uint8Array(array.buffer, array.byteOffset, array.byteLength).toHex()}`,
  )
}

/** The reason why a file is refused; if it can be opened, the names of its damaged columns. */
function verdictOn(file: Uint8Array): string | string[] {
  try {
    return findCorruptColumns(openSnapshot(file))
  } catch (error) {
    if (!(error instanceof SnapshotUnusable)) throw error
    return error.reason
  }
}

/** The offset at which the directory ends. Zeros follow up to the first column. */
function endOfDirectory(file: Uint8Array): number {
  return HEADER_BYTES + new DataView(file.buffer).getUint32(12, true)
}

describe('a round trip', () => {
  test('returns meta and columns, in their kinds and order', () => {
    const opened = openSnapshot(written())
    expect(opened.meta).toEqual(META)
    expect(inBytes(opened.columns)).toEqual(inBytes(COLUMNS))
    expect(opened.fingerprint).toMatch(/^[0-9a-f]{12}$/)
    expect(findCorruptColumns(opened)).toEqual([])
  })

  test('of nothing is empty', () => {
    const opened = openSnapshot(written(null, new Map()))
    expect([opened.meta, opened.columns.size]).toEqual([null, 0])
  })

  test('of any columns', () => {
    const column = fc.oneof(fc.uint8Array(), fc.uint16Array(), fc.int32Array(), fc.uint32Array(), fc.float64Array())
    fc.assert(
      fc.property(fc.dictionary(fc.string(), column, { maxKeys: 12 }), (byName) => {
        const columns = new Map<string, TypedArray>(Object.entries(byName))
        expect(inBytes(openSnapshot(written(META, columns)).columns)).toEqual(inBytes(columns))
      }),
      runs,
    )
  })

  test('of a part of an array writes only that part', () => {
    const whole = Uint32Array.of(1, 2, 3, 4)
    const opened = openSnapshot(written(META, new Map([['part', whole.subarray(1, 3)]])))
    expect([...opened.columns]).toEqual([['part', Uint32Array.of(2, 3)]])
  })

  test('aligns every column to 64 bytes within the file', () => {
    const file = written()
    for (const array of openSnapshot(file).columns.values()) {
      expect([array.buffer === file.buffer, array.byteOffset % 64]).toEqual([true, 0])
    }
  })

  test('is identical each time, byte for byte', () => {
    expect(written()).toEqual(written())
  })
})

describe('the fingerprint changes', () => {
  const fingerprint = (meta: unknown, columns: NamedColumns) => openSnapshot(written(meta, columns)).fingerprint
  const own = fingerprint(META, COLUMNS)

  test('with meta', () => expect(fingerprint({ ...META, trips: 8 }, COLUMNS)).not.toBe(own))
  test('with a single value of a column', () =>
    expect(fingerprint(META, new Map([...COLUMNS, ['u8', Uint8Array.of(0, 255, 8)]]))).not.toBe(own))
  test('with a name', () => expect(fingerprint(META, new Map([...COLUMNS, ['more', new Uint8Array()]]))).not.toBe(own))
})

describe('damage', () => {
  test('to any bit of the header or directory rejects the file', () => {
    const file = written()
    const accepted: string[] = []
    for (let at = 0; at < endOfDirectory(file); at++) {
      for (let bit = 0; bit < 8; bit++) {
        const damaged = file.slice()
        damaged[at] = file[at] ^ (1 << bit)
        const verdict = verdictOn(damaged)
        if (verdict !== (at < 8 ? 'not_a_snapshot' : 'corrupt')) accepted.push(`byte ${at} bit ${bit}: ${verdict}`)
      }
    }
    expect(accepted).toEqual([])
  })

  test('to any byte of a column is found in that column only', () => {
    const file = written()
    const wrong: string[] = []
    for (const [name, array] of openSnapshot(file).columns) {
      for (let at = array.byteOffset; at < array.byteOffset + array.byteLength; at++) {
        const damaged = file.slice()
        damaged[at] = file[at] ^ 0x10
        const verdict = verdictOn(damaged)
        if (String(verdict) !== name) wrong.push(`byte ${at} of ${name}: ${verdict}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('truncation anywhere, or trailing bytes', () => {
    const file = written()
    const accepted: string[] = []
    for (let length = 0; length < file.length; length++) {
      const verdict = verdictOn(file.slice(0, length))
      if (verdict !== (length < HEADER_BYTES ? 'not_a_snapshot' : 'corrupt')) accepted.push(`${length}: ${verdict}`)
    }
    expect(accepted).toEqual([])
    expect(verdictOn(new Uint8Array([...file, 0]))).toBe('corrupt')
  })

  test('arbitrary bytes are rejected without a crash', () => {
    const bytes = fc.uint8Array({ maxLength: 400 })
    fc.assert(
      fc.property(bytes, fc.boolean(), (noise, hasHead) => {
        const file = hasHead ? new Uint8Array([...written().subarray(0, 12), ...noise]) : noise
        expect(typeof verdictOn(file)).toBe('string')
      }),
      runs,
    )
  })
})

test('an intact file of another version is reported as such', () => {
  const file = written()
  const view = new DataView(file.buffer)
  view.setUint32(8, SNAPSHOT_FORMAT_VERSION + 1, true)
  view.setUint32(28, Bun.hash.crc32(file.subarray(0, 28)), true)
  expect(verdictOn(file)).toBe('other_version')
})
