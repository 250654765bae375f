// Tests the state that a thread builds from the live thread's messages, in whatever order they arrive. A message about
// a new snapshot waits until all threads are ready, so later messages, which apply at once, can overtake it. Fails if
// alerts or delays are lost, or reappear.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import type { PackedOverlay } from '../../../indexes/live/build-overlay.ts'
import { packColumns } from '../../../indexes/live/shared-columns.ts'
import { OPENED, type OpenedLive, takeLive, WHOLE, type WholeLive } from '../../../src/networks/live-state.ts'
import type { PackedLive } from '../../../src/networks/network-messages.ts'

const CAPABILITIES = { trips: true, alerts: true, vehicles: 'none' } as const

const ROOT = join(import.meta.dir, '..', '..', '..')
const SEED = 20_260_717

/** A message with alerts for a snapshot, with no alerts, or with alerts that are marked as unchanged. */
function message(version: number, alerts: string | 'none' | 'same'): PackedLive {
  const base = { version, capabilities: CAPABILITIES, feeds: [], overlay: undefined, vehicles: undefined }
  if (alerts === 'same') return { ...base, alerts }
  const json = JSON.stringify({ snapshotId: alerts, rows: [] })
  return { ...base, alerts: alerts === 'none' ? undefined : { json } }
}

/** The state's version and the snapshot of its alerts, after each message. */
function heldAfter(...messages: readonly PackedLive[]) {
  let state: OpenedLive | undefined
  return messages.map((each) => {
    state = takeLive(state, each, OPENED)
    return [state.version, state.alerts?.snapshotId]
  })
}

test('in order, unchanged parts stay the same objects, and absent ones stay absent', () => {
  expect(heldAfter(message(1, 'none'), message(2, 'old'), message(3, 'same'), message(4, 'none'))).toEqual([
    [1, undefined],
    [2, 'old'],
    [3, 'old'],
    [4, undefined],
  ])
})

test('alerts that a later message leaves unchanged are taken, even if it came first', () => {
  expect(heldAfter(message(1, 'old'), message(3, 'same'), message(2, 'new'))).toEqual([
    [1, 'old'],
    [3, 'old'],
    [3, 'new'],
  ])
})

test('overtaken alerts are not taken', () => {
  expect(heldAfter(message(3, 'newest'), message(2, 'new'), message(1, 'none'))).toEqual([
    [3, 'newest'],
    [3, 'newest'],
    [3, 'newest'],
  ])
})

test('a message without changes leaves the state unchanged: what was rendered from it stays valid', () => {
  const state = takeLive(undefined, message(2, 'new'), OPENED)
  expect(takeLive(state, message(1, 'old'), OPENED)).toBe(state)
})

test('a thread that starts between two messages, from another thread’s state, ends up like all the others', () => {
  const part = fc.constantFrom('given', 'none', 'same')
  const parts = fc.array(fc.record({ overlay: part, alerts: part }), { minLength: 1, maxLength: 8 })
  const orders = parts.chain((list) =>
    fc.record({
      list: fc.constant(list),
      order: fc.shuffledSubarray([...list.keys()], { minLength: list.length }),
      startsAfter: fc.nat(list.length),
    }),
  )
  fc.assert(
    fc.property(orders, ({ list, order, startsAfter }) => {
      const sent = list.map((each, at) => madeMessage(at + 1, each))
      let kept: WholeLive | undefined
      let started: WholeLive | undefined
      for (const [turn, at] of order.entries()) {
        if (turn === startsAfter && kept !== undefined) started = takeLive(undefined, kept, WHOLE)
        const next = sent[at]
        if (next === undefined) throw new Error(`there is no message ${at}`)
        kept = takeLive(kept, next, WHOLE)
        if (started !== undefined || turn >= startsAfter) started = takeLive(started, next, WHOLE)
      }
      const newest = sent.at(-1)
      expect(kept).toMatchObject({ version: list.length, vehicles: newest?.vehicles })
      expect(kept?.overlay).toBe(newestOf(sent.map(({ overlay }) => overlay)))
      expect(kept?.alerts).toBe(newestOf(sent.map(({ alerts }) => alerts)))
      if (started !== undefined && kept !== undefined) expect(started).toEqual(kept)
    }),
    { seed: SEED, numRuns: 500 },
  )
})

test('no other file compares parts', async () => {
  const found: string[] = []
  for (const path of new Bun.Glob('src/**/*.ts').scanSync({ cwd: ROOT })) {
    const text = await Bun.file(join(ROOT, path)).text()
    if (text.includes('PackedLive') && /[!=]== 'same'/.test(text)) found.push(path)
  }
  expect(found).toEqual(['src/networks/live-state.ts'])
})

/** A message whose parts contain only the message's version, so that a test can see where each part comes from. */
function madeMessage(version: number, { overlay, alerts }: Record<'overlay' | 'alerts', string>): PackedLive {
  return {
    version,
    capabilities: CAPABILITIES,
    feeds: [],
    overlay: overlay === 'given' ? madeOverlay(version) : overlay === 'same' ? 'same' : undefined,
    vehicles: undefined,
    alerts: alerts === 'given' ? { json: `${version}` } : alerts === 'same' ? 'same' : undefined,
  }
}

function madeOverlay(version: number): PackedOverlay {
  return { meta: { snapshotId: '', version, baseSeconds: 0, feedIds: [] }, ...packColumns({}) }
}

/** The last item that is not marked as unchanged: a part, or undefined for a message without this part. */
function newestOf<Part>(parts: readonly (Part | 'same')[]): Part | undefined {
  const last = parts.findLast((part) => part !== 'same')
  return last === 'same' ? undefined : last
}
