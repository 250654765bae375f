// Compares a replayed network's trips with the second implementation: if messages put a call on a board, the trip must
// have that call with the same times and status.
import type { LiveTextRow, RealtimeReading } from './oracles/realtime-reading.ts'
import { listOf, objectOf } from './replayed-boards.ts'
import type { ReplayedNetwork } from './replayed-network.ts'

const REQUESTS_AT_ONCE = 8

/** The result of requesting the trips. */
export interface TripsFound {
  trips: number
  calls: number
  readonly differences: string[]
}

/** Requests every trip that the messages report and that is on a board. */
export async function askTrips(network: ReplayedNetwork, reading: RealtimeReading): Promise<TripsFound> {
  const rows = [...reading.placed.values()].flatMap((placed) => placed.map(({ row }) => row))
  const byTrip = [...Map.groupBy(rows, ({ trip_id }) => trip_id)]
  const found: TripsFound = { trips: 0, calls: 0, differences: [] }
  const ask = async (): Promise<void> => {
    for (let next = byTrip.pop(); next !== undefined; next = byTrip.pop()) {
      const [id, expected] = next
      const { status, body } = await network.get(`/v1/trips/${encodeURIComponent(id)}`)
      const calls = listOf(objectOf(body['data'] ?? {})['calls'] ?? []).map((call) => keyOfCall(objectOf(call)))
      found.trips++
      if (status !== 200) found.differences.push(`trip ${id}: ${status}`)
      for (const row of expected) {
        found.calls++
        if (!calls.includes(keyOfRow(row)))
          found.differences.push(`trip ${id} has no ${keyOfRow(row)}, but ${calls.join()}`)
      }
    }
  }
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, ask))
  return found
}

function keyOfRow({ stop_id, scheduled, expected, delay_seconds, status }: LiveTextRow): string {
  return [stop_id, scheduled, expected, delay_seconds, status].join(' ')
}

function keyOfCall(call: Readonly<Record<string, unknown>>): string {
  const { scheduled_at, expected_at, delay_seconds } = objectOf(call['departure'] ?? {})
  const secondsOf = (text: unknown) => (typeof text === 'string' ? Date.parse(text) / 1000 : null)
  const times = [secondsOf(scheduled_at), secondsOf(expected_at)].map((seconds) => seconds ?? '')
  return [call['stop_id'], ...times, delay_seconds ?? '', call['status']].join(' ')
}
