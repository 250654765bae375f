// Tests timetables on replicas with a shared store: one replica imports a timetable, and all replicas switch to it at
// the same time. Fails if replicas serve different snapshots for longer than a second, if a request fails during the
// switch, if a newly started replica imports on its own, or if a store that is slow, wrong or down stops a replica.
import { afterAll, beforeAll, describe, expect } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ObjectBucket } from '../../databases/object-bucket.ts'
import { hasOwnPostgres, OwnPostgres } from '../../databases/own-postgres.ts'
import { dedent, SMALL_FEED } from '../../feeds/text-feed.ts'
import { bySize, roundsBySize } from '../../size.ts'
import { slowTest } from '../../slow-test.ts'
import { until } from '../running.ts'
import { Fleet, type FleetReplica } from './fleet.ts'

const PORT = 19_672
const ROUNDS = roundsBySize({ quick: 0, ci: 3, full: 60 })
const SKEW_MILLIS = 1_000
const SLOW_MILLIS = bySize({ quick: 0, ci: 2_000, full: 10_000 })
const TEST_MILLIS = 120_000 + ROUNDS * 40_000

if (!hasOwnPostgres()) console.error('left out: shared snapshots on replicas (no PostgreSQL server is installed)')

describe.skipIf(!hasOwnPostgres())('snapshots on three replicas', () => {
  let postgres: OwnPostgres
  let bucket: ObjectBucket
  let fleet: Fleet
  let key = ''

  beforeAll(async () => {
    postgres = await OwnPostgres.start()
    bucket = await ObjectBucket.start()
    fleet = new Fleet({ databaseUrl: postgres.url(), count: 3, port: PORT, cluster: bucket.table })
    for (const replica of fleet.replicas.slice(0, 2)) fleet.spawn(replica)
    for (const replica of fleet.replicas.slice(0, 2)) await fleet.untilReady(replica)
    key = await fleet.makeKey('shared@ville.example', 'max')
  }, 180_000)

  afterAll(async () => {
    await fleet.remove()
    await bucket.stop()
    await postgres.remove()
  })

  /** Publishes a feed in which the stop Gare has the given name. */
  function publish(name: string): void {
    const text = SMALL_FEED['stops.txt'].replace('Gare,', `${name},`)
    writeFileSync(join(fleet.folder, 'ville', 'stops.txt'), dedent(text))
  }

  async function nameAt({ base }: FleetReplica): Promise<string> {
    const answer = await fetch(`${base}/v1/stops/ville:stop:G`, { headers: { Authorization: `Bearer ${key}` } })
    if (answer.status !== 200) throw new Error(`the status is ${answer.status}: ${await answer.text()}`)
    return JSON.parse(await answer.text()).data.name
  }

  /**
   * Queries a replica until it shows a name; returns the time of the first response with that name. Every response must
   * have either the new name or the previous one.
   */
  async function shownAt(replica: FleetReplica, name: string, before: string): Promise<number> {
    let shown = before
    await until(async () => {
      shown = await nameAt(replica)
      expect([before, name]).toContain(shown)
      return shown === name
    }, `replica ${replica.index} shows ${name}`)
    return performance.now()
  }

  const importsOf = (replica: FleetReplica) => fleet.output(replica).split('importing').length - 1

  slowTest(
    'change together, and no request fails meanwhile',
    async () => {
      const replicas = fleet.replicas.slice(0, 2)
      const skews: number[] = []
      let before = 'Gare'
      for (let round = 1; round <= ROUNDS; round++) {
        const name = `Gare ${round}`
        publish(name)
        const times = await Promise.all(replicas.map((each) => shownAt(each, name, before)))
        skews.push(Math.max(...times) - Math.min(...times))
        before = name
      }
      console.log(`${ROUNDS} adoptions, skew: ${skews.map((skew) => Math.round(skew)).join(', ')} ms`)
      expect(Math.max(...skews)).toBeLessThan(SKEW_MILLIS)
      expect(replicas.map(importsOf).sort()).toEqual([0, ROUNDS + 1])
    },
    TEST_MILLIS,
  )

  slowTest(
    'are fetched by a new replica, which does not import',
    async () => {
      const [first, , third] = fleet.replicas
      const startedMillis = performance.now()
      fleet.spawn(third)
      await fleet.untilReady(third)
      console.log(`a new replica was ready after ${Math.round(performance.now() - startedMillis)} ms`)
      expect(await nameAt(third)).toBe(await nameAt(first))
      expect(importsOf(third)).toBe(0)
    },
    TEST_MILLIS,
  )

  slowTest(
    'change later if the store is slow',
    async () => {
      const before = await nameAt(fleet.replicas[0])
      bucket.slowMillis = SLOW_MILLIS
      bucket.fault = 'slow'
      publish('Gare du Midi')
      const times = await Promise.all(fleet.replicas.map((each) => shownAt(each, 'Gare du Midi', before)))
      bucket.fault = undefined
      const skew = Math.max(...times) - Math.min(...times)
      console.log(`a store that answers after ${SLOW_MILLIS} ms: skew ${Math.round(skew)} ms`)
      expect(skew).toBeLessThan(SKEW_MILLIS)
    },
    TEST_MILLIS,
  )

  slowTest(
    'stay while the store is unavailable, and a replica starts from its own files',
    async () => {
      const [first, second, third] = fleet.replicas
      const before = await nameAt(first)
      bucket.fault = 'away'
      publish('Gare du Nord')
      await until(
        () => fleet.replicas.some((each) => fleet.output(each).includes('cannot put')),
        'the importer logs that it cannot share',
      )
      for (const replica of fleet.replicas) expect(await nameAt(replica)).toBe(before)
      await fleet.end(third)
      fleet.spawn(third)
      await fleet.untilReady(third)
      expect(await nameAt(third)).toBe(before)
      bucket.fault = 'corrupt'
      await fleet.end(third)
      rmSync(join(third.dataDir, 'snapshots'), { recursive: true })
      fleet.spawn(third)
      await until(() => fleet.output(third).includes('cannot get'), 'the new replica rejects wrong bytes')
      bucket.fault = undefined
      await fleet.untilReady(third)
      const name = await nameAt(second)
      await shownAt(third, name, name)
    },
    TEST_MILLIS,
  )
})
