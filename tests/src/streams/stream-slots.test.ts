// Tests the table of open streams. Fails if a key, an account or the service has more open streams than its limit,
// whichever threads open them, if a stream is refused below the limit, or if a slot is never released.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  ACCOUNT_STREAM_LIMIT,
  ADDRESS_STREAM_LIMIT,
  allocateStreamSlots,
  CROWDED_ACCOUNT_STREAM_LIMIT,
  CROWDED_STREAM_COUNT,
  KEY_STREAM_LIMIT,
  SERVICE_STREAM_LIMIT,
  StreamSlots,
} from '../../../src/streams/stream-slots.ts'
import { bySize, SEED } from '../../size.ts'

/** An oracle that keeps the open streams in a list and counts them. */
class CountedSlots {
  readonly held: { keyId: string; accountId: string; slot: number }[] = []

  answer(keyId: string, accountId: string): string {
    if (this.held.filter((each) => each.keyId === keyId).length >= KEY_STREAM_LIMIT) return 'key'
    return this.held.filter((each) => each.accountId === accountId).length >= ACCOUNT_STREAM_LIMIT ? 'account' : 'taken'
  }
}

test('limits equal plain counting', () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ key: fc.nat({ max: 13 }), account: fc.nat({ max: 1 }) }) },
    { weight: 1, arbitrary: fc.record({ release: fc.nat() }) },
  )
  fc.assert(
    fc.property(fc.array(step, { minLength: 50, maxLength: 400 }), (steps) => {
      const slots = new StreamSlots(allocateStreamSlots())
      const counted = new CountedSlots()
      for (const each of steps) {
        if ('release' in each) {
          const [gone] = counted.held.splice(each.release % Math.max(1, counted.held.length), 1)
          if (gone !== undefined) slots.release(gone.slot)
          continue
        }
        const holder = { keyId: `key_${each.account}_${each.key}`, accountId: `acc_${each.account}` }
        const expected = counted.answer(holder.keyId, holder.accountId)
        const taken = slots.take(holder)
        expect<string>(taken.kind === 'full' ? taken.of : taken.kind).toBe(expected)
        if (taken.kind === 'taken') counted.held.push({ ...holder, slot: taken.slot })
      }
      expect(slots.takenCount).toBe(counted.held.length)
      expect(new Set(counted.held.map(({ slot }) => slot)).size).toBe(counted.held.length)
    }),
    { seed: SEED, numRuns: bySize({ quick: 20, ci: 200, full: 2_000 }), endOnFailure: true },
  )
})

test('the service accepts its limit and no more', () => {
  const slots = new StreamSlots(allocateStreamSlots())
  for (let at = 0; at < SERVICE_STREAM_LIMIT; at++) {
    const holder = { keyId: `key_${Math.floor(at / 5)}`, accountId: `acc_${Math.floor(at / 5)}` }
    if (slots.take(holder).kind !== 'taken') throw new Error(`stream ${at} was rejected`)
  }
  const more = { keyId: 'key_more', accountId: 'acc_more' }
  expect(slots.take(more)).toEqual({ kind: 'full', of: 'service' })
  slots.release(7)
  expect(slots.take(more)).toEqual({ kind: 'taken', slot: 7 })
})

test('an address may have a hundred, whichever keys open them; an unknown one has no limit of its own', () => {
  const slots = new StreamSlots(allocateStreamSlots())
  const take = (at: number, address?: string) =>
    slots.take({ keyId: `key_${at}`, accountId: `acc_${at}`, ...(address === undefined ? {} : { address }) })
  for (let at = 0; at < ADDRESS_STREAM_LIMIT; at++) expect(take(at, '192.0.2.7').kind).toBe('taken')
  expect(take(1_000, '192.0.2.7')).toEqual({ kind: 'full', of: 'address' })
  expect(take(1_000, '192.0.2.8').kind).toBe('taken')
  slots.release(3)
  expect(take(1_000, '192.0.2.7')).toEqual({ kind: 'taken', slot: 3 })
  for (let at = 0; at < 2 * ADDRESS_STREAM_LIMIT; at++) expect(take(2_000 + at).kind).toBe('taken')
})

test('with four fifths of all places taken, an account may have five', () => {
  const slots = new StreamSlots(allocateStreamSlots())
  const take = (accountId: string, key = 0) => slots.take({ keyId: `${accountId}_${key}`, accountId })
  for (let at = 0; at < CROWDED_STREAM_COUNT - 1; at++) take(`acc_${at}`)
  for (let at = 0; at < CROWDED_ACCOUNT_STREAM_LIMIT; at++) expect(take('acc_few').kind).toBe('taken')
  expect(take('acc_few')).toEqual({ kind: 'full', of: 'share' })
  expect(take('acc_few', 1)).toEqual({ kind: 'full', of: 'share' })
  expect(take('acc_new').kind).toBe('taken')
  for (let slot = 0; slot < 100; slot++) slots.release(slot)
  expect(take('acc_few').kind).toBe('taken')
})

test('threads that open streams at the same time never exceed the limit together', async () => {
  const [memory, tally] = [allocateStreamSlots(), new SharedArrayBuffer(4)]
  const rounds = bySize({ quick: 200, ci: 2_000, full: 20_000 })
  const threads = Array.from({ length: 4 }, () => new Worker(new URL('slots-child.ts', import.meta.url).href))
  const results = await Promise.all(
    threads.map(
      (thread) =>
        new Promise<{ most: number; taken: number }>((resolve, reject) => {
          thread.onmessage = ({ data }) => resolve(data)
          thread.onerror = ({ message }) => reject(new Error(message))
          thread.postMessage({ memory, tally, rounds })
        }),
    ),
  )
  for (const thread of threads) thread.terminate()
  expect(Math.max(...results.map(({ most }) => most))).toBeLessThanOrEqual(KEY_STREAM_LIMIT)
  // In each round, each of the four threads tries to open four streams. The key's limit is ten, so at most six of these
  // sixteen are refused.
  expect(results.reduce((sum, { taken }) => sum + taken, 0)).toBeGreaterThanOrEqual(rounds * KEY_STREAM_LIMIT)
  expect(new StreamSlots(memory).takenCount).toBe(0)
}, 120_000)
