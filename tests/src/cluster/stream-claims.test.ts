// Tests reopening streams that a replica ended. Clients reopen them on all replicas at the same time, and each stream
// may be reopened free of charge once. Fails if a stream is free twice or never, if it is free for another key or
// another stream, or if an unreachable database prevents a client from opening its stream.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { StreamName } from '../../../src/access/fleet-talk.ts'
import { StoreUnavailable } from '../../../src/accounts/account-store.ts'
import { openPostgresStore } from '../../../src/accounts/postgres-account-store.ts'
import { PostgresFleetStore } from '../../../src/cluster/postgres-fleet-store.ts'
import { StreamClaims, type StreamStore } from '../../../src/cluster/stream-claims.ts'
import { FleetReconnects } from '../../../src/streams/fleet-reconnects.ts'
import { makeDatabase, POSTGRES, sayWhatIsLeftOut, type TestDatabase } from '../../databases/test-postgres.ts'
import { until } from '../../service/running.ts'

sayWhatIsLeftOut()

const STREAM: StreamName = { keyId: 'k1', name: 'departures a 5' }
const ENDED = 7
const TRIES = 40

/** A replica with one data thread. */
function openReplica(store: StreamStore): {
  readonly thread: FleetReconnects
  readonly problems: string[]
  readonly claims: StreamClaims
} {
  const problems: string[] = []
  const claims = new StreamClaims({
    store,
    isAway: () => false,
    answer: ({ number, stream }, isFree) => thread.answered({ number, stream, isFree }),
    onProblem: (message) => problems.push(message),
  })
  const thread = new FleetReconnects((request) => {
    if (request.kind === 'claim') claims.claim({ number: request.number, stream: request.stream, ordinal: 0 })
    if (request.kind === 'give_back') void claims.end([request.stream])
  })
  return { thread, problems, claims }
}

async function countFree(replicas: readonly { readonly thread: FleetReconnects }[], stream = STREAM): Promise<number> {
  const tries = Array.from({ length: TRIES }, (_, at) => replicas[at % replicas.length].thread.claim(stream))
  return (await Promise.all(tries)).filter((isFree) => isFree === true).length
}

describe.skipIf(POSTGRES === undefined)('streams that a replica ended', () => {
  let database: TestDatabase
  let stores: PostgresFleetStore[] = []

  beforeAll(async () => {
    database = await makeDatabase()
    await (await openPostgresStore(database.url)).close()
    stores = [1, 2, 3].map(() => new PostgresFleetStore(database.url, false))
  })

  beforeEach(() => database.query('DELETE FROM quai.ended_streams'))

  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await database.remove()
  })

  test('are each free once, for any replica', async () => {
    const replicas = stores.map(openReplica)
    const others = [
      { ...STREAM, keyId: 'k2' },
      { ...STREAM, name: 'departures b 5' },
    ]
    expect(await replicas[0].claims.end([...new Array<StreamName>(ENDED).fill(STREAM), ...others])).toBe(true)
    expect(await countFree(replicas)).toBe(ENDED)
    expect(await countFree(replicas)).toBe(0)
    for (const other of others) expect(await countFree(replicas, other)).toBe(1)
  })

  test('are free again if the stream was rejected, and not free after half a minute', async () => {
    const [replica, other] = stores.map(openReplica)
    await replica.claims.end([STREAM])
    expect(await replica.thread.claim(STREAM)).toBe(true)
    replica.thread.giveBack(STREAM)
    await until(async () => (await other.thread.claim(STREAM)) === true, 'it is free again')
    await stores[0].endStreams([STREAM], -1)
    expect(await countFree([replica, other])).toBe(0)
  })

  test('are announced to all replicas', async () => {
    const [{ before }] = await database.query<{ before: number }>('SELECT count(*)::int AS before FROM quai.changes')
    await stores[0].endStreams([STREAM], 30)
    const rows = await database.query<{ what: string }>(
      `SELECT what FROM quai.changes ORDER BY version OFFSET ${before}`,
    )
    expect(rows.map(({ what }) => what)).toEqual(['streams:ended'])
  })
})

test('without the database, a stream is opened at its normal cost, and its end is left to the next start', async () => {
  const refuse = async () => {
    throw new StoreUnavailable('away')
  }
  const { thread, problems, claims } = openReplica({ endStreams: refuse, claimStreams: refuse })
  expect(await thread.claim(STREAM)).toBe(false)
  expect(await claims.end([STREAM])).toBe(false)
  expect(problems).toEqual([
    'the end of 1 stream on this replica was not stored: away; clients that reopen them on another replica will be charged',
  ])
})
