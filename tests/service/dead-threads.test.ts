// Tests data threads that die under load. Each must be replaced, and only its pending requests may be lost. The new
// thread must have all changes to keys, settings, snapshots and live data. If threads die too often, the service must
// end.
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { delayedTrip, realtimeFeed } from '../feeds/realtime-feed.ts'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { bySize } from '../size.ts'
import { slowTest } from '../slow-test.ts'
import { MORTAL_COMMAND, type MortalService, serveMortal } from './mortal-threads.ts'
import { end, ServiceFolder, type Serving, until } from './running.ts'
import { StreamClient } from './stream-client.ts'

const PORT = 18_936
/** The time at which the service's clock stands still. */
const NOW_SECONDS = Date.parse('2026-06-10T06:00:00Z') / 1000
const DEATHS = bySize({ quick: 2, ci: 3, full: 5 })
const STREAMS_OF_KEY = 10
const CALLERS = 8

/** Starts a service whose threads can be killed, and creates a key for it. */
async function open(workers: number): Promise<MortalService & { service: ServiceFolder; key: string }> {
  const service = new ServiceFolder(MORTAL_COMMAND)
  const key = await service.makeKey('load')
  return { service, key, ...(await serveMortal(service, { workers, port: PORT })) }
}

/** Calls the API on a new connection, so that the kernel chooses the thread; returns the status. */
async function ask(serving: Serving, key: string, path = '/v1/stops/ville:stop:CA'): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, connection: 'close' }
  const answer = await fetch(serving.base + path, { headers, keepalive: false })
  await answer.arrayBuffer()
  return answer.status
}

slowTest(
  `${DEATHS} deaths under load lose only the requests of the dead threads; new threads have every change`,
  async () => {
    const { service, serving, death, key, metric, killOne } = await open(2)
    let reported = 0
    let lost = 0
    let isOver = false
    const odd: number[] = []
    const load = Array.from({ length: CALLERS }, async () => {
      while (!isOver) {
        const status = await ask(serving, key).catch(() => 'lost' as const)
        if (status === 'lost') lost++
        else if (status === 200) reported++
        else odd.push(status)
      }
    })
    try {
      for (let round = 1; round <= DEATHS; round++) {
        const streams = Array.from(
          { length: STREAMS_OF_KEY },
          () => new StreamClient(`${serving.base}/v1/stops/ville:stop:CA/departures/stream`, key),
        )
        for (const stream of streams) expect((await stream.opened()).status).toBe(200)
        reported += STREAMS_OF_KEY
        await killOne()
        // Two keys are created, and the key `gone` is revoked, while the killed thread may not have been replaced yet.
        const [fresh, gone] = await Promise.all([service.makeKey(`fresh-${round}`), service.makeKey(`gone-${round}`)])
        const listed = JSON.parse((await service.run('keys', 'list', '--json')).stdout) as {
          id: string
          name: string
        }[]
        const goneId = listed.find(({ name }) => name === `gone-${round}`)?.id ?? ''
        expect((await service.run('keys', 'revoke', goneId)).status).toBe(0)
        for (let call = 0; call < 20; call++) {
          expect([await ask(serving, fresh), await ask(serving, gone)]).toEqual([200, 401])
          reported++
        }
        for (const stream of streams) await stream.leave()
        await until(async () => (await metric('quai_streams_open')) === 0, 'the slots of the dead threads are free')
      }
      isOver = true
      await Promise.all(load)
      expect(odd).toEqual([])
      // Requests are lost only on connections to dead threads: at most one request per caller and death.
      expect(lost).toBeLessThanOrEqual(DEATHS * CALLERS)
      expect(existsSync(death)).toBe(false)
      // A thread that starts after a reload has the reloaded settings.
      const config = join(service.folder, 'quai.toml')
      writeFileSync(config, readFileSync(config, 'utf8').replace('name = "Ville"', 'name = "Ville neuve"'))
      serving.child.kill('SIGHUP')
      const name = async () => {
        const answer = await fetch(`${serving.base}/v1/networks/ville`, { headers: { authorization: `Bearer ${key}` } })
        reported++
        return ((await answer.json()) as { data: { name: string } }).data.name
      }
      await until(async () => (await name()) === 'Ville neuve', 'the new name is shown')
      await killOne()
      for (let call = 0; call < 20; call++) expect(await name()).toBe('Ville neuve')
      const imported = await service.run('import', '--force')
      expect([imported.stderr, imported.stdout]).toContainEqual(expect.stringContaining('ville'))
      await until(async () => (await metric('quai_ledger_unflushed_units')) === 0, 'all units are in the ledger')
      // A call may have been charged although its thread died before the response was sent.
      const units = await metric('quai_units_total')
      expect(units).toBeGreaterThanOrEqual(reported)
      expect(units).toBeLessThanOrEqual(reported + lost)
    } finally {
      isOver = true
      expect(await end(serving)).toBe(0)
    }
    expect(await serving.talk).toContain('; restarting it')
    expect((await service.run('ledger', 'verify')).status).toBe(0)
  },
  120_000,
)

test('a service whose only thread dies recovers; one whose threads keep dying ends', async () => {
  const { serving, death, key, killOne } = await open(1)
  try {
    await killOne()
    const status = () => ask(serving, key).catch(() => 0)
    await until(async () => (await status()) === 200, 'it answers again')
    const isOver = () => serving.child.exitCode !== null
    await until(() => {
      if (!existsSync(death)) writeFileSync(death, '')
      return isOver()
    }, 'it gives up')
    expect(serving.child.exitCode).toBe(1)
  } finally {
    serving.child.kill('SIGKILL')
  }
  expect(await serving.talk).toContain('a data thread failed: ')
}, 60_000)

test('a new thread serves the alerts and delays from before its start', async () => {
  let seconds = NOW_SECONDS
  const alert = { headerText: { translation: [{ text: 'Works' }] }, informedEntity: [{ routeId: 'A' }] }
  const alerts = realtimeFeed(seconds, [{ id: 'works', alert }])
  let trips = realtimeFeed(seconds, [])
  const upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => new Response(url.endsWith('/alerts') ? alerts : trips),
  })
  const feed = (id: string) => `[[networks.feeds]]
id = "${id}"
url = "http://127.0.0.1:${upstream.port}/${id}"
interval_seconds = 1
`
  const config = `data_dir = "data"\n[[networks]]\nid = "ville"\ngtfs = "ville"\n${feed('trips')}${feed('alerts')}`
  const service = new ServiceFolder(MORTAL_COMMAND, config)
  mkdirSync(join(service.folder, 'ville'))
  for (const [name, text] of Object.entries(SMALL_FEED)) {
    writeFileSync(join(service.folder, 'ville', name), dedent(text))
  }
  const key = await service.makeKey('live')
  const { serving, killOne } = await serveMortal(service, { workers: 1, port: PORT })
  /** Requests a path on a new connection. Returns the `data` of the response; undefined if no thread responds. */
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${key}`, connection: 'close' }
    const answer = await fetch(`${serving.base}/v1/${path}`, { headers, keepalive: false }).catch(() => undefined)
    return answer?.status === 200 ? ((await answer.json()) as { data: Record<string, unknown>[] }).data : undefined
  }
  const listAlerts = () => read('networks/ville/alerts')
  const delay = async () => (await read('stops/ville:stop:G/departures'))?.[1]?.['delay_seconds']
  try {
    await until(async () => (await listAlerts())?.length === 1, 'the alert shows')
    const before = await listAlerts()
    // From here on, messages from the live thread only state that the alerts are unchanged.
    trips = realtimeFeed(++seconds, [delayedTrip('a2', '20260610', { G: 120 })])
    await until(async () => (await delay()) === 120, 'the delay shows')
    await killOne()
    await until(async () => (await listAlerts()) !== undefined, 'a thread answers again')
    expect([await listAlerts(), await delay()]).toEqual([before, 120])
  } finally {
    await upstream.stop(true)
    expect(await end(serving)).toBe(0)
  }
}, 60_000)
