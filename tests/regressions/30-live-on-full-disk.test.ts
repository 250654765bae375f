// Tests live feeds while the disk is full. The live thread writes a file that records the alerts it has read. Once,
// when it could not write the file, the thread failed and the whole service ended. Fails if the service ends, if an
// alert is not shown while the disk is full, or if the alert is missing from the file once there is space again.
import { afterEach, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { realtimeFeed } from '../feeds/realtime-feed.ts'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from '../service/running.ts'
import { fillUp, makeSmallDisk, type SmallDisk } from '../service/small-disk.ts'

const PORT = 18_875
const DISK_MEGABYTES = 24
const NOW = '2026-06-10T06:00:00Z'

let disk: SmallDisk | undefined
let serving: Serving | undefined
let upstream: ReturnType<typeof Bun.serve> | undefined

afterEach(async () => {
  if (serving?.child.exitCode === null) await end(serving, 'SIGKILL')
  await upstream?.stop(true)
  disk?.remove()
})

test('an alert that arrives while the disk is full is shown, and remembered once there is space', async () => {
  disk = makeSmallDisk(DISK_MEGABYTES)
  if (!disk.isMounted) return console.log('left out: a full disk (no file system can be mounted here)')
  const { folder } = disk
  let headerSeconds = Date.parse(NOW) / 1000
  const published: string[] = []
  upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(realtimeFeed(headerSeconds++, published.map(alertEntity))),
  })
  const service = new ServiceFolder(commandOf('source'), configOf(`http://127.0.0.1:${upstream.port}/alerts`), folder)
  mkdirSync(join(folder, 'ville'))
  for (const [name, text] of Object.entries(SMALL_FEED)) writeFileSync(join(folder, 'ville', name), dedent(text))
  const key = await service.makeKey('alerts')
  serving = await service.serve({ workers: 1, port: PORT, clock: NOW })
  const { base } = serving
  const titles = async () => {
    const response = await fetch(`${base}/v1/networks/ville/alerts`, { headers: { authorization: `Bearer ${key}` } })
    const { data }: { data: { title: string }[] } = JSON.parse(await response.text())
    return data.map(({ title }) => title).sort()
  }
  const countRemembered = () => {
    const { ville } = JSON.parse(readFileSync(join(folder, 'data', 'seen-alerts.json'), 'utf8'))
    return Object.keys(ville).length
  }

  published.push('Works')
  await until(async () => (await titles()).length === 1, 'the first alert is shown')
  fillUp(folder, 0)
  published.push('Strike')
  await until(async () => (await titles()).length === 2, 'the second alert is shown')
  expect([await titles(), serving.child.exitCode]).toEqual([['Strike', 'Works'], null])
  expect(serving.output()).toContain('seen-alerts.json cannot be written: ENOSPC')
  expect(countRemembered()).toBe(1)
  rmSync(join(folder, 'filler'))
  await until(() => countRemembered() === 2, 'the second alert is remembered')
  expect(await end(serving)).toBe(0)
}, 90_000)

function configOf(url: string): string {
  return `data_dir = "data"
[[networks]]
id = "ville"
gtfs = "ville"
[[networks.feeds]]
id = "alerts"
url = "${url}"
interval_seconds = 1
`
}

function alertEntity(title: string) {
  const translation = [{ text: title, language: 'fr' }]
  return { id: title, alert: { headerText: { translation }, informedEntity: [{ routeId: 'A' }] } }
}
