// Tests damaged extracts, which are cut off, or have flipped bits or an overwritten piece. Fails if a damaged extract
// is accepted although its streets differ from the original, if it is refused without a reason, or if reading it takes
// too much memory.
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildStreetGraph } from '../../../indexes/streets/build-graph.ts'
import { streetColumns } from '../../../indexes/streets/street-graph.ts'
import { ExtractRefused } from '../../../loaders/osm/extract-refused.ts'
import { loadStreets } from '../../../loaders/osm/load-streets.ts'
import { PbfFile } from '../../../loaders/osm/pbf.ts'
import { below, type Random, seededRandom } from '../../../src/demo/seeded-random.ts'
import { smallStreets } from '../../feeds/small-streets.ts'
import { bySize, REAL_EXTRACTS, SEED } from '../../size.ts'
import { bytesAsExtract, writeExtract } from './read-extract.ts'

const MADE = 'made streets'
const MOST_MORE_MEGABYTES = 400
const SLOWEST_MILLIS = 30_000
const LONGEST_PIECE = 400
const MOST_FLIPS = 8

const names =
  REAL_EXTRACTS === undefined ? [MADE] : [MADE, ...readdirSync(REAL_EXTRACTS).filter((name) => name.endsWith('.pbf'))]

function bytesOf(name: string): Uint8Array {
  if (name !== MADE) return new Uint8Array(readFileSync(join(REAL_EXTRACTS ?? '', name)))
  return new Uint8Array(writeExtract(smallStreets(), { isSorted: true, blockElements: 3 }))
}

/** A copy that is cut off, or whose bits or bytes are changed. */
function damage(bytes: Uint8Array, random: Random): Uint8Array {
  const kind = below(random, 3)
  if (kind === 0) return bytes.slice(0, cutOf(bytes, random))
  const damaged = bytes.slice()
  if (kind === 1) {
    for (let flip = 0; flip <= below(random, MOST_FLIPS); flip++) {
      const at = below(random, damaged.length)
      damaged[at] = (damaged[at] ?? 0) ^ (1 << below(random, 8))
    }
    return damaged
  }
  const start = below(random, damaged.length)
  const end = Math.min(damaged.length, start + 1 + below(random, LONGEST_PIECE))
  for (let at = start; at < end; at++) damaged[at] = below(random, 256)
  return damaged
}

/** Chooses where to cut a file: not at the end of a block, since a file that ends with a block is complete. */
function cutOf(bytes: Uint8Array, random: Random): number {
  const file = new PbfFile(bytesAsExtract(bytes))
  const cut = below(random, bytes.length)
  const isBetweenBlocks = Array.from({ length: file.blockCount }, (_, block) => file.byteOf(block)).includes(cut)
  return isBetweenBlocks ? cut - 1 : cut
}

/** A hash of all columns of the street graph that is built from a file. */
function digestOf(bytes: Uint8Array): bigint {
  const { graph } = buildStreetGraph(loadStreets([bytesAsExtract(bytes)]))
  let digest = 0n
  for (const [, column] of streetColumns(graph)) {
    digest = BigInt(Bun.hash.wyhash(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), digest))
  }
  return digest
}

test.each(names)(
  `%s, damaged, is rejected with a reason or read as before (seed ${SEED})`,
  (name) => {
    const whole = bytesOf(name)
    const count = name === MADE ? bySize({ quick: 60, ci: 200, full: 2400 }) : bySize({ quick: 1, ci: 3, full: 240 })
    const expected = digestOf(whole)
    const random = seededRandom(SEED, name)
    const outcomes = new Map<string, number>()
    const before = process.memoryUsage.rss()
    let [mostBytes, slowest] = [before, 0]
    for (let round = 0; round < count; round++) {
      const started = performance.now()
      let outcome = 'as before'
      try {
        if (digestOf(damage(whole, random)) !== expected) throw new Error(`file ${round} is read as different streets`)
      } catch (error) {
        if (!(error instanceof ExtractRefused)) throw error
        outcome = error.reason
      }
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      slowest = Math.max(slowest, performance.now() - started)
      mostBytes = Math.max(mostBytes, process.memoryUsage.rss())
    }
    const megabytes = Math.round((mostBytes - before) / 1e6)
    console.log(
      `${name}: ${JSON.stringify(Object.fromEntries(outcomes))}, ${slowest.toFixed(0)} ms, ${megabytes} MB more`,
    )
    expect(megabytes).toBeLessThan(MOST_MORE_MEGABYTES)
    expect(slowest).toBeLessThan(SLOWEST_MILLIS)
  },
  1_200_000,
)
