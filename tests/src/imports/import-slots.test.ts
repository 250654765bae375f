// Tests the slots that limit concurrent imports. Also tests that one import serves all requests that arrive before it
// starts. Fails if more imports run at the same time than cores or memory allow, if an import waits needlessly, or if
// no import runs anymore after a failure.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ImportSlots, machineLimits } from '../../../src/imports/import-slots.ts'
import { Rerun } from '../../../src/system/rerun.ts'
import { SEED } from '../../size.ts'

const order = fc.record({
  bytes: fc.integer({ min: 1, max: 150 }),
  millis: fc.integer({ min: 0, max: 3 }),
  fails: fc.boolean(),
})

test('never more than the limits, in order, and each of them runs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(order, { maxLength: 30 }), fc.integer({ min: 1, max: 4 }), async (orders, count) => {
      const slots = new ImportSlots({ count, bytes: 100 })
      const running = new Set<number>()
      const begun: number[] = []
      const runs = orders.map(({ bytes, millis, fails }, at) =>
        slots.run(bytes, async () => {
          running.add(at)
          begun.push(at)
          expect(running.size).toBeLessThanOrEqual(count)
          const sum = [...running].reduce((all, each) => all + (orders[each]?.bytes ?? 0), 0)
          if (running.size > 1) expect(sum).toBeLessThanOrEqual(100)
          await Bun.sleep(millis)
          running.delete(at)
          if (fails) throw new Error('failed')
        }),
      )
      const ended = await Promise.allSettled(runs)
      expect(ended.map(({ status }) => status === 'rejected')).toEqual(orders.map(({ fails }) => fails))
      expect(begun).toEqual(orders.map((_, at) => at))
    }),
    { seed: SEED, numRuns: 30 },
  )
})

test('this machine’s capacity', () => {
  const { count, bytes } = machineLimits()
  expect([count >= 1, bytes > 0]).toEqual([true, true])
})

test('requests before the start of a run share it; later ones get another; a failure does not block the rest', async () => {
  const log: string[] = []
  let gate = Promise.withResolvers<void>()
  let fails = false
  const rerun = new Rerun(async (begin) => {
    log.push('called')
    await gate.promise
    begin()
    log.push('begun')
    await Bun.sleep(1)
    if (fails) throw new Error('failed')
    log.push('ended')
  })
  const first = rerun.request()
  expect([rerun.request() === first, rerun.isWaiting]).toEqual([true, true])
  gate.resolve()
  await Bun.sleep(0)
  expect(rerun.isWaiting).toBe(false)
  const second = rerun.request()
  expect(second).not.toBe(first)
  await Promise.all([first, second])
  expect(log).toEqual(['called', 'begun', 'ended', 'called', 'begun', 'ended'])
  fails = true
  const failing = rerun.request()
  expect(await failing.catch(() => 'failed')).toBe('failed')
  expect(rerun.isWaiting).toBe(false)
  fails = false
  gate = Promise.withResolvers<void>()
  gate.resolve()
  await rerun.request()
  expect(log.at(-1)).toBe('ended')
})

test('a run that fails before its start does not block the next', async () => {
  let tries = 0
  const rerun = new Rerun(async () => {
    if (++tries === 1) throw new Error('no file can be opened')
  })
  expect(await rerun.request().catch(({ message }) => message)).toBe('no file can be opened')
  await rerun.request()
  expect([tries, rerun.isWaiting]).toEqual([2, false])
})
