// Tests the decoder on damaged messages. Fails if it throws an error other than RealtimeUnreadable, if it misses a
// truncation that can be detected, or if it uses time or memory out of proportion to the input.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { decodeMessage, RealtimeUnreadable } from '../../../loaders/gtfs-rt/decode-message.ts'
import type { RealtimeMessage } from '../../../loaders/gtfs-rt/message.ts'
import { below, pick, type Random, seededRandom } from '../../../src/demo/seeded-random.ts'
import { bySize, SEED } from '../../size.ts'
import { listCaptures } from './captures.ts'
import { RandomMessages } from './random-message.ts'

const RUNS = bySize({ quick: 1_000, ci: 4_000, full: 300_000 })
/** Runs per capture. The number is smaller than RUNS, because captures are large. */
const CAPTURE_RUNS = bySize({ quick: 2, ci: 4, full: 200 })
const SLOWEST_MILLIS = bySize({ quick: 5_000, ci: 5_000, full: 1_000 })

/** Bytes that often have a special meaning in the format: long varints, groups, huge lengths. */
const TELLING = [0, 1, 0x0a, 0x0b, 0x0c, 0x12, 0x7f, 0x80, 0xff]

test(`${RUNS} messages with changed, lost, duplicated and added bytes are read or rejected (seed ${SEED})`, () => {
  let refused = 0
  for (let run = 0; run < RUNS; run++) {
    const random = seededRandom(SEED, `mutation ${run}`)
    const bytes = mutate(random, new RandomMessages(random).message())
    if (!isSound(bytes, `run ${run}`)) refused++
  }
  // If all or none of the messages were refused, the mutations would prove nothing.
  expect(refused / RUNS).toBeGreaterThan(0.1)
  expect(refused / RUNS).toBeLessThan(0.9)
}, 600_000)

test('captures with changed, lost, duplicated and added bytes are read or rejected', () => {
  for (const path of listCaptures()) {
    const capture = readFileSync(path)
    for (let run = 0; run < CAPTURE_RUNS; run++) {
      isSound(mutate(seededRandom(SEED, `${run} of ${capture.length}`), capture), `${path}, run ${run}`)
    }
  }
}, 600_000)

test('noise of any length is read or rejected, without another error', () => {
  for (let run = 0; run < RUNS; run++) {
    const random = seededRandom(SEED, `noise ${run}`)
    isSound(
      Uint8Array.from({ length: below(random, 300) }, () => below(random, 256)),
      `noise ${run}`,
    )
  }
}, 600_000)

test('a truncated message is rejected, unless it ends between two fields', () => {
  const cuts = bySize({ quick: 4, ci: 20, full: 4_000 })
  for (let run = 0; run < cuts; run++) {
    const bytes = new RandomMessages(seededRandom(SEED, `cut ${run}`)).message()
    const ends = new Set(fieldEnds(bytes))
    for (let length = 0; length < bytes.length; length++) {
      const refusal = refusalOf(bytes.subarray(0, length))
      const expected = length === 0 ? 'missing_header' : ends.has(length) ? undefined : 'truncated'
      if (refusal === expected) continue
      console.log(`QUAI_SEED=${SEED} cut ${run} at ${length}`)
      expect(refusal).toBe(expected)
    }
  }
}, 600_000)

/** Whether bytes are a valid message. Fails if the decoder throws anything but RealtimeUnreadable, or is too slow. */
function isSound(bytes: Uint8Array, which: string): boolean {
  const began = performance.now()
  try {
    const message = decodeMessage(bytes)
    if (countParts(message) > bytes.length / 2) throw new Error(`more parts than bytes: QUAI_SEED=${SEED} ${which}`)
    return true
  } catch (error) {
    if (!(error instanceof RealtimeUnreadable)) console.log(`QUAI_SEED=${SEED} ${which}`)
    expect(error).toBeInstanceOf(RealtimeUnreadable)
    return false
  } finally {
    expect(performance.now() - began).toBeLessThan(SLOWEST_MILLIS)
  }
}

function refusalOf(bytes: Uint8Array): string | undefined {
  try {
    decodeMessage(bytes)
    return undefined
  } catch (error) {
    return error instanceof RealtimeUnreadable ? error.reason : String(error)
  }
}

/** The number of entities, calls, translations and other parts in a message. Each part takes at least two bytes. */
function countParts({ trips, vehicles, alerts, modifications, shapes, deletedIds }: RealtimeMessage): number {
  const ofTrips = trips.map(({ stopTimes }) => stopTimes.length)
  const ofAlerts = alerts.flatMap(({ activePeriods, selectors, header, description, url }) =>
    [activePeriods, selectors, header, description, url].map(({ length }) => length),
  )
  const ofModifications = modifications.map((each) => 1 + each.selected.length + each.modifications.length)
  const counts = [
    trips.length,
    vehicles.length,
    alerts.length,
    shapes.length,
    deletedIds.length,
    ...ofModifications,
    ...ofTrips,
    ...ofAlerts,
  ]
  return counts.reduce((sum, count) => sum + count, 0)
}

function mutate(random: Random, sound: Uint8Array): Uint8Array {
  const bytes = [...sound]
  for (let count = 1 + below(random, 4); count > 0; count--) {
    const at = below(random, bytes.length + 1)
    const length = below(random, Math.min(bytes.length - at, 40) + 1)
    switch (below(random, 5)) {
      case 0:
        bytes[Math.min(at, bytes.length)] = random() < 0.5 ? pick(random, TELLING) : below(random, 256)
        break
      case 1:
        bytes.splice(at, length)
        break
      case 2:
        bytes.splice(at, 0, ...bytes.slice(at, at + length))
        break
      case 3:
        bytes.splice(at, 0, pick(random, TELLING))
        break
      default:
        bytes[at] = (bytes[at] ?? 0) ^ (1 << below(random, 8))
    }
  }
  return Uint8Array.from(bytes)
}

/**
 * The ends of the top-level fields. Each field states its length, except for a group (bytes 0x7b to 0x7c). Only random
 * messages have a group, as their last field.
 */
function fieldEnds(bytes: Uint8Array): number[] {
  const ends: number[] = []
  let at = 0
  while (at < bytes.length) {
    const isGroup = bytes[at] === 0x7b
    at = isGroup ? bytes.indexOf(0x7c, at) + 1 : endOfPart(bytes, at)
    ends.push(at)
  }
  return ends
}

function endOfPart(bytes: Uint8Array, start: number): number {
  let at = start
  while ((bytes[at] ?? 0) >= 0x80) at++
  at++
  let length = 0
  for (let scale = 1; ; scale *= 128) {
    const byte = bytes[at++] ?? 0
    length += (byte & 127) * scale
    if (byte < 0x80) return at + length
  }
}
