// Compares the state of a feed with a naive model, over random histories of encoded messages. Fails if a message is
// applied in part, if an older message replaces a newer one, if an entity stays after it was deleted or after a full
// message without it, or if a trip is reported twice.
import { expect, test } from 'bun:test'
import { FeedState } from '../../../indexes/live/feed-state.ts'
import { decodeMessage, RealtimeUnreadable } from '../../../loaders/gtfs-rt/decode-message.ts'
import type { RealtimeMessage } from '../../../loaders/gtfs-rt/message.ts'
import { seededRandom } from '../../../src/demo/seeded-random.ts'
import { type NaiveContent, naiveContent } from '../../oracles/naive-feed-model.ts'
import { bySize, SEED } from '../../size.ts'
import { randomHistory, type SentMessage } from './random-history.ts'

const HISTORIES = bySize({ quick: 500, ci: 5_000, full: 100_000 })

test(`${HISTORIES} random histories of a feed match a naive model (seed ${SEED})`, () => {
  const seen = { arrivals: 0, broken: 0, same: 0, older: 0, entities: 0 }
  for (let number = 0; number < HISTORIES; number++) {
    const history = randomHistory(seededRandom(SEED, `history ${number}`))
    const divergence = findDivergence(history)
    if (divergence !== undefined)
      console.log(`QUAI_SEED=${SEED} history ${number}, after ${divergence.arrivals} arrivals`)
    expect(divergence?.found).toEqual(divergence?.expected)
    const last = naiveContent(history)
    seen.arrivals += history.length
    seen.broken += history.filter(({ message }) => message === 'broken').length
    seen.same += last.same
    seen.older += last.older
    seen.entities += last.trips.length + last.vehicles.length + last.alerts.length
  }
  console.log(`${HISTORIES} histories, seed ${SEED}: ${JSON.stringify(seen)}`)
  // Each kind of message must occur often; otherwise the histories prove nothing.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(HISTORIES / 10)
}, 900_000)

test('later messages do not change earlier results', () => {
  for (let number = 0; number < HISTORIES / 10; number++) {
    const state = new FeedState()
    let before = JSON.stringify(state.current)
    for (const arrival of randomHistory(seededRandom(SEED, `kept ${number}`))) {
      const { current } = state
      arrive(state, arrival)
      expect(JSON.stringify(current)).toBe(before)
      before = JSON.stringify(state.current)
    }
  }
})

/** The first message of a history after which the state and the model differ; undefined if they never do. */
function findDivergence(history: readonly SentMessage[]) {
  const state = new FeedState()
  for (const [at, arrival] of history.entries()) {
    arrive(state, arrival)
    const found = contentOf(state)
    const expected = naiveContent(history.slice(0, at + 1))
    if (!Bun.deepEquals(found, expected)) return { arrivals: at + 1, found, expected }
  }
  return undefined
}

function arrive(state: FeedState, { bytes, message, receivedSeconds }: SentMessage): void {
  if (message === 'same') return state.repeat(receivedSeconds)
  const read = readOrRefuse(bytes)
  if ((read === undefined) !== (message === 'broken')) throw new Error(`an arrival is read wrongly, seed ${SEED}`)
  if (read !== undefined) state.apply(read, receivedSeconds)
}

function readOrRefuse(bytes: Uint8Array): RealtimeMessage | undefined {
  try {
    return decodeMessage(bytes)
  } catch (error) {
    if (error instanceof RealtimeUnreadable) return undefined
    throw error
  }
}

function contentOf({ current, counts }: FeedState): NaiveContent {
  const { timestampSeconds, fetchedSeconds, trips = [], vehicles = [], alerts = [], modifications = [] } = current ?? {}
  return {
    timestampSeconds,
    fetchedSeconds,
    trips: trips.map((trip) => ({ id: trip.entityId, mark: trip.delaySeconds ?? 0, seconds: trip.timestampSeconds })),
    vehicles: vehicles.map((vehicle) => ({
      id: vehicle.entityId,
      mark: vehicle.stopSequence ?? 0,
      seconds: vehicle.timestampSeconds,
    })),
    alerts: alerts.map(({ entityId, header }) => ({ id: entityId, mark: Number(header[0]?.text), seconds: undefined })),
    modifications: modifications.map(({ entityId, serviceDates }) => ({
      id: entityId,
      mark: Number(serviceDates[0]),
      seconds: undefined,
    })),
    same: counts['same_message'] ?? 0,
    older: counts['older_message'] ?? 0,
  }
}
