// Tests `max_transfers`, the maximum number of transfers. Fails if a journey has one transfer too many, or if a journey
// with exactly the allowed number is missing.
import { expect, test } from 'bun:test'
import { openJourneys } from './journey-lines.ts'

const service = openJourneys({
  stops: { A: 0, B: 5000, C: 10_000, Z: 20_000 },
  trips: {
    'a-1': 'A 08:00, B 08:10',
    'b-1': 'B 08:15, C 08:25',
    'c-1': 'C 08:30, Z 08:40',
    'd-1': 'B 08:20, Z 09:10',
    'slow-1': 'A 08:05, Z 10:30',
  },
})

test('no more transfers than that, and all journeys with fewer, in both directions', async () => {
  const { lines } = await service
  for (const moment of ['when=2026-06-10T07:55:00%2B02:00', 'arrive_by=2026-06-10T10:30:00%2B02:00']) {
    const arrivals = async (more: string) =>
      (await lines('A', 'Z', `${moment}&limit=6${more}`))
        .filter((journey) => !journey[0]?.startsWith('2026'))
        .map((journey) => [journey.length - 1, journey.at(-1)?.slice(-8)])
    const two = [2, '08:40:00']
    const [one, none] = [
      [1, '09:10:00'],
      [0, '10:30:00'],
    ]
    const sorted = (list: (string | number | undefined)[][]) => list.toSorted((a, b) => Number(b[0]) - Number(a[0]))
    expect(sorted(await arrivals('&max_transfers=0'))).toEqual([none])
    expect(sorted(await arrivals('&max_transfers=1'))).toContainEqual(one)
    expect(sorted(await arrivals('&max_transfers=1'))).not.toContainEqual(two)
    expect(sorted(await arrivals('&max_transfers=2'))).toContainEqual(two)
    expect(await arrivals('')).toEqual(await arrivals('&max_transfers=6'))
  }
})

test('staying seated does not count as a transfer', async () => {
  const { best } = await openJourneys({
    stops: { A: 0, B: 5000, Z: 20_000 },
    trips: { 'in-1': 'A 08:00, B 08:10', 'out-1': 'B 08:10, Z 08:30' },
    blocks: { 'in-1': 'k', 'out-1': 'k' },
  })
  expect(await best('A', 'Z', 'max_transfers=0')).toEqual([
    'in-1 A 08:00:00 B 08:10:00',
    'out-1 B 08:10:00 Z 08:30:00 seated',
  ])
})

test('no connection with so few, and invalid values', async () => {
  const { ask } = await openJourneys({
    stops: { A: 0, B: 5000, Z: 20_000 },
    trips: { 'in-1': 'A 08:00, B 08:10', 'out-1': 'B 08:20, Z 08:30' },
  })
  expect((await ask('A', 'Z', 'max_transfers=0')).body.meta.reason).toBe('no_connection')
  expect((await ask('A', 'Z', 'max_transfers=1')).body.data).toHaveLength(1)
  for (const value of ['-1', '7', '', 'x', '1.5']) {
    const { status, body } = await ask('A', 'Z', `max_transfers=${value}`)
    expect([status, body.reason, body.param]).toEqual([400, 'transit_query_invalid', 'max_transfers'])
  }
})

test('transfer_seconds is the minimum time of a transfer, to the second, in both directions', async () => {
  const { lines } = await service
  for (const moment of ['when=2026-06-10T07:55:00%2B02:00', 'arrive_by=2026-06-10T08:45:00%2B02:00']) {
    const first = async (seconds: number) => await lines('A', 'Z', `${moment}&limit=1&transfer_seconds=${seconds}`)
    expect((await first(300))[0]?.at(-1)).toContain('Z 08:40:00')
    expect((await first(301))[0]?.at(-1) ?? '').not.toContain('Z 08:40:00')
  }
})

test('the feed’s minimum times and timed transfers stay, and slack is the time beyond them', async () => {
  const files = {
    'transfers.txt': `from_stop_id,to_stop_id,transfer_type,min_transfer_time
      B,B,2,240
      C,C,1,`,
  }
  const trips = { 'a-1': 'A 08:00, B 08:10', 'b-1': 'B 08:15, C 08:25', 'c-1': 'C 08:25, Z 08:40' }
  const { ask } = await openJourneys({ stops: { A: 0, B: 5000, C: 10_000, Z: 20_000 }, trips, files })
  const moment = 'when=2026-06-10T07:55:00%2B02:00'
  const plain = (await ask('A', 'Z', moment)).body.data
  expect(plain[0]?.arrival_at).toBe('2026-06-10T08:40:00+02:00')
  for (const seconds of [0, 1800]) {
    const { data } = (await ask('A', 'Z', `${moment}&transfer_seconds=${seconds}`)).body
    expect(data[0]).toEqual(plain[0])
  }
})

test('transfer_seconds of 0 allows immediate transfers; out of range it is rejected', async () => {
  const { ask } = await openJourneys({
    stops: { A: 0, B: 5000, Z: 20_000 },
    trips: { 'a-1': 'A 08:00, B 08:10', 'b-1': 'B 08:10, Z 08:25', 'b-2': 'B 08:40, Z 08:55' },
  })
  const moment = 'when=2026-06-10T07:55:00%2B02:00'
  const arrivals = async (more: string) => (await ask('A', 'Z', `${moment}&limit=1${more}`)).body.data[0]?.arrival_at
  expect(await arrivals('')).toBe('2026-06-10T08:55:00+02:00')
  expect(await arrivals('&transfer_seconds=60')).toBe('2026-06-10T08:55:00+02:00')
  expect(await arrivals('&transfer_seconds=0')).toBe('2026-06-10T08:25:00+02:00')
  for (const value of ['-1', '1801', '1.5', 'x']) {
    const { status, body } = await ask('A', 'Z', `transfer_seconds=${value}`)
    expect([status, body.reason, body.param]).toEqual([400, 'transit_query_invalid', 'transfer_seconds'])
  }
})
