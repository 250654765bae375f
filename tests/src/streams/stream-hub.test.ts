// Tests the stream hub. The test controls time and readers. Fails if a frame comes late, twice or not at all, if a
// topic is rendered twice for one frame, if memory grows because of a slow reader, or if the hub keeps anything for a
// reader that has disconnected.
import { describe, expect, test } from 'bun:test'
import { Problem } from '../../../src/http/problem.ts'
import { callerOf, type HandReader, openHub } from './hub-under-test.ts'

const units = (reader: HandReader) => reader.dataOf('departures').map((each) => (each as Frame).meta.units)
interface Frame {
  readonly data: unknown
  readonly meta: { readonly units: number }
}

describe('frames', () => {
  test('the first is sent at once, at its cost; the others every interval, for free', async () => {
    const { open, pass, gate } = openHub()
    const reader = open({ intervalSeconds: 5 })
    await reader.read()
    expect(units(reader)).toEqual([1])
    expect(reader.received.retries).toEqual([5000])
    expect(gate.units).toBe(1)
    await pass(4_950)
    await reader.read()
    expect(units(reader)).toEqual([1])
    for (let frame = 1; frame <= 12; frame++) {
      await pass(frame === 1 ? 50 : 5_000)
      await reader.read()
      expect(units(reader).length).toBe(frame + 1)
    }
    expect(units(reader).reduce((sum, each) => sum + each, 0)).toBe(1)
    expect(gate.units).toBe(1)
    expect(reader.received.comments).toEqual([])
  })

  test('ids grow', async () => {
    const { open, pass } = openHub()
    const reader = open({ intervalSeconds: 5 })
    for (let frame = 0; frame < 5; frame++) {
      await reader.read()
      await pass(5_000)
    }
    const ids = reader.received.events.map(({ id }) => Number(id))
    expect(ids.length).toBe(5)
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
  })

  test('a quiet stream sends something every eight seconds', async () => {
    const { open, pass } = openHub()
    const reader = open({ intervalSeconds: 60 })
    await pass(7_950)
    await reader.read()
    expect(reader.received.comments.length).toBe(0)
    await pass(50)
    await reader.read()
    expect(reader.received.comments.length).toBe(1)
    for (let second = 8; second < 60; second++) {
      await pass(1_000)
      await reader.read()
    }
    expect(reader.received.comments.length).toBe(7)
    expect(units(reader)).toEqual([1, 0])
  })

  test('any number of equal requests in a tick need one computation', async () => {
    const { open, pass, topics } = openHub()
    const readers = Array.from({ length: 500 }, (_, at) => {
      const caller = callerOf(Math.floor(at / 10), Math.floor(at / 50))
      return open({ caller, intervalSeconds: at % 2 === 0 ? 5 : 10 })
    })
    expect(topics.get('board')?.renders).toBe(1)
    for (const reader of readers) await reader.read()
    await pass(10_000)
    expect(topics.get('board')?.renders).toBe(3)
    for (const reader of readers) await reader.read()
    expect(readers.map((reader) => units(reader).length)).toEqual(readers.map((_, at) => (at % 2 === 0 ? 3 : 2)))
  })

  test('after a stall of the thread, there is one frame, and the next on time', async () => {
    const { open, pass, stall } = openHub()
    const reader = open({ intervalSeconds: 5 })
    await reader.read()
    stall(17_000)
    await pass(50)
    await reader.read()
    expect(units(reader)).toEqual([1, 0])
    await pass(2_900)
    await reader.read()
    expect(units(reader)).toEqual([1, 0])
    await pass(50)
    await reader.read()
    expect(units(reader)).toEqual([1, 0, 0])
  })

  test('HEAD costs the same and opens no stream', () => {
    const { hub, order, gate } = openHub()
    expect(hub.open(order({ isHead: true }))).toBeInstanceOf(ReadableStream)
    expect({ units: gate.units, open: hub.openCount, topics: hub.topicCount }).toEqual({ units: 1, open: 0, topics: 0 })
  })
})

describe('clients that do not read', () => {
  test('get the latest frame once they do, and none of those between', async () => {
    const { open, pass, topics } = openHub()
    const reader = open({ intervalSeconds: 5 })
    const state = topics.get('board')
    for (let frame = 1; frame <= 5; frame++) {
      if (state !== undefined) state.says = frame
      await pass(5_000)
    }
    await reader.read()
    expect(reader.dataOf('departures').map((each) => (each as Frame).data)).toEqual(['hello', 5])
    if (state !== undefined) state.says = 6
    await pass(5_000)
    await reader.read()
    expect(reader.dataOf('departures').map((each) => (each as Frame).data)).toEqual(['hello', 5, 6])
  })

  test('are dropped after thirty seconds, and their connections closed', async () => {
    const { open, pass, hub, limited } = openHub()
    const reader = open()
    await pass(29_950)
    expect(hub.openCount).toBe(1)
    await pass(100)
    expect({ open: hub.openCount, topics: hub.topicCount, limited }).toEqual({ open: 0, topics: 0, limited: ['board'] })
    await reader.read()
    expect(reader.isDone).toBe(true)
  })

  test('are kept if they read occasionally', async () => {
    const { open, pass, hub } = openHub()
    const reader = open()
    for (let second = 0; second < 200; second += 25) {
      await pass(25_000)
      await reader.read()
    }
    expect(hub.openCount).toBe(1)
  })
})

describe('ends', () => {
  test('a stream lasts at most an hour', async () => {
    const { open, pass, hub } = openHub()
    const reader = open({ intervalSeconds: 60 })
    for (let second = 0; second < 3600; second += 20) {
      expect(reader.isDone).toBe(false)
      await pass(20_000)
      await reader.read()
    }
    expect(reader.dataOf('end')).toEqual([{ reason: 'max_duration' }])
    expect({ isDone: reader.isDone, open: hub.openCount }).toEqual({ isDone: true, open: 0 })
  })

  test('a revoked key ends its own streams at once, and no others', async () => {
    const { open, hub, gate, limited } = openHub()
    const [first, second] = [open(), open({ topic: 'other', caller: callerOf(2) })]
    gate.revoked.add('key_1')
    hub.recheck()
    await first.read()
    await second.read()
    expect(first.dataOf('end')).toEqual([{ reason: 'key_revoked' }])
    expect([first.isDone, second.isDone, hub.openCount]).toEqual([true, false, 1])
    expect(limited).toEqual(['board'])
  })

  test('an expired key ends its streams at the next check', async () => {
    const { open, pass, gate } = openHub()
    const reader = open()
    await reader.read()
    gate.revoked.add('key_1')
    await pass(8_000)
    await reader.read()
    expect(reader.dataOf('end')).toEqual([{ reason: 'key_revoked' }])
  })

  test('a stream that would be rejected now ends with that reason', async () => {
    const { open, pass, topics, hub } = openHub()
    const reader = open({ intervalSeconds: 5 })
    await reader.read()
    const state = topics.get('board')
    if (state !== undefined) state.says = new Problem('not_found')
    await pass(5_000)
    await reader.read()
    expect(reader.dataOf('end')).toEqual([{ reason: 'not_found' }])
    expect(hub.openCount).toBe(0)
  })

  test('a shutdown ends all, each with its own time to come back, and opens none', async () => {
    const { open, hub, order } = openHub()
    const readers = Array.from({ length: 100 }, (_, at) =>
      open({ caller: callerOf(Math.floor(at / 10), Math.floor(at / 50)) }),
    )
    const ended = hub.close()
    hub.endAnnounced()
    expect(ended.length).toBe(100)
    expect(ended[0]).toEqual({ keyId: 'key_0', name: 'board 15', untilMillis: 1_780_001_030_000 })
    for (const reader of readers) await reader.read()
    expect(readers.every((reader) => reader.isDone)).toBe(true)
    const retries = readers.map((reader) => reader.received.retries[1] ?? 0)
    expect(Math.min(...retries)).toBeGreaterThanOrEqual(500)
    expect(Math.max(...retries)).toBeLessThanOrEqual(5_000)
    expect(new Set(retries).size).toBeGreaterThan(50)
    expect(hub.open(order())).toMatchObject({ reason: 'overloaded' })
  })

  test('streams continue from the announcement of a shutdown to their end; those opened meanwhile are free and last longer', async () => {
    const { open, pass, hub, gate } = openHub()
    const [staying, leaving] = [open({ intervalSeconds: 5 }), open({ intervalSeconds: 5 })]
    expect(hub.drain().length).toBe(2)
    const later = open({ intervalSeconds: 5 })
    await leaving.leave()
    await pass(5_000)
    for (const reader of [staying, later]) await reader.read()
    expect([units(staying), units(later)]).toEqual([
      [1, 0],
      [0, 0],
    ])
    hub.endAnnounced()
    for (const reader of [staying, later]) await reader.read()
    expect([staying.isDone, later.isDone]).toEqual([true, false])
    expect(gate.units).toBe(2)
    expect(hub.close().length).toBe(1)
    hub.endAnnounced()
    await later.read()
    expect(later.dataOf('end')).toEqual([{ reason: 'shutdown' }])
  })

  test('the announced end reaches a client that had stopped reading', async () => {
    const { open, pass, hub, limited } = openHub()
    const reader = open({ intervalSeconds: 5 })
    await pass(10_000)
    hub.close()
    hub.endAnnounced()
    expect(limited).toEqual(['board'])
    await reader.read()
    expect(reader.dataOf('end')).toEqual([{ reason: 'shutdown' }])
  })
})

describe('limits and charges', () => {
  test('ten per key, fifty per account; a rejection costs nothing, and an ended stream makes room', async () => {
    const { open, hub, order, gate } = openHub()
    const readers = Array.from({ length: 10 }, () => open())
    expect(hub.open(order())).toMatchObject({ reason: 'too_many_streams' })
    for (let at = 0; at < 40; at++) readers.push(open({ caller: callerOf(2 + Math.floor(at / 10)) }))
    expect(hub.open(order({ caller: callerOf(9) }))).toMatchObject({ reason: 'too_many_streams' })
    expect(gate.units).toBe(50)
    open({ caller: callerOf(9, 2) })
    await readers[0]?.leave()
    open()
    expect(hub.open(order())).toMatchObject({ reason: 'too_many_streams' })
  })

  test('a rejected stream, or one that cannot be charged, takes no place', () => {
    const { hub, order, gate, topics } = openHub()
    expect(hub.open(order({ render: () => new Problem('not_ready') }))).toMatchObject({ reason: 'not_ready' })
    gate.charge = () => {
      throw new Error('the disk is full')
    }
    expect(() => hub.open(order())).toThrow('the disk is full')
    expect({ open: hub.openCount, topics: hub.topicCount }).toEqual({ open: 0, topics: 0 })
    gate.charge = () => undefined
    for (let at = 0; at < 10; at++) expect(hub.open(order())).toBeInstanceOf(ReadableStream)
    expect(topics.get('board')?.renders).toBe(2) // the frame rendered for the uncharged stream is not cached
  })

  test('one reconnect of each stream ended by a shutdown is free, for the same key and stream, in time', async () => {
    const before = openHub()
    before.open()
    before.open()
    before.open({ caller: callerOf(2) })
    const ended = before.hub.close()
    before.hub.endAnnounced()
    const after = openHub({ ended })
    const opened = [after.open(), after.open(), after.open(), after.open({ intervalSeconds: 20, caller: callerOf(2) })]
    for (const reader of opened) await reader.read()
    expect(opened.map(units)).toEqual([[0], [0], [1], [1]])
    expect(after.gate.units).toBe(2)
    await after.pass(30_000)
    const late = after.open({ caller: callerOf(2) })
    await late.read()
    expect(units(late)).toEqual([1])
  })
})

test('nothing is left of ended streams, however they ended', async () => {
  const { open, pass, hub, gate, topics } = openHub()
  for (let round = 0; round < 20; round++) {
    const readers = Array.from({ length: 40 }, (_, at) =>
      open({ topic: `board ${at % 7}`, caller: callerOf(Math.floor(at / 8), round), intervalSeconds: 5 + (at % 9) }),
    )
    await pass(1_000 * round)
    for (const [at, reader] of readers.entries()) if (at % 4 === 0) await reader.leave()
    if (round % 3 === 0) {
      gate.revoked.add('key_1')
      hub.recheck()
      gate.revoked.clear()
    }
    await pass(40_000)
  }
  expect({ open: hub.openCount, topics: hub.topicCount }).toEqual({ open: 0, topics: 0 })
  expect(topics.size).toBe(7)
  // All slots are free again, so the account can open fifty streams.
  for (let at = 0; at < 50; at++) open({ caller: callerOf(Math.floor(at / 10), 0) })
})
