// Tests addresses on a service that runs as a process, from the configuration to the response. The service must import
// addresses together with its networks, keep them across a restart, and leave them out of responses if it cannot read
// them.
import { afterAll, beforeAll, expect } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { presentFile } from '../feeds/address-file.ts'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { slowTest } from '../slow-test.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'

const PORT = 19_190
const CONFIG = `data_dir = "data"
addresses = [{ source = "addresses.csv", attribution = "BAN" }]
[[networks]]
id = "ville"
name = "Ville"
city = "Ville"
gtfs = "ville"
`
const ROWS = [12, 14].map((number) => ({
  streetId: '67482_1234',
  number,
  street: 'Rue du Centre',
  postcode: '67000',
  communeCode: '67482',
  commune: 'Strasbourg',
  lat: 48.58,
  lon: 7.75 + number / 1e5,
}))

let service: ServiceFolder
let key = ''

beforeAll(async () => {
  service = new ServiceFolder(commandOf('source'), CONFIG)
  mkdirSync(join(service.folder, 'ville'))
  for (const [name, text] of Object.entries(SMALL_FEED))
    writeFileSync(join(service.folder, 'ville', name), dedent(text))
  key = await service.makeKey('tests')
}, 30_000)
afterAll(() => rmSync(service.folder, { recursive: true }))

/** Starts the service, searches, and stops it. Returns the results and the service's output. */
async function askOnce(
  port: number,
): Promise<{ readonly ids: string[]; readonly town: string; readonly output: string }> {
  const serving: Serving = await service.serve({ workers: 2, port })
  await until(() => /^quai: addresses: /m.test(serving.output()), 'the addresses were checked')
  const ask = async (path: string) => {
    const answer = await fetch(serving.base + path, { headers: { authorization: `Bearer ${key}` } })
    return JSON.parse(await answer.text())
  }
  const { data } = await ask('/v1/places?q=14+rue+du+centre')
  const { data: stop } = await ask('/v1/stops/ville:stop:CA')
  await end(serving)
  return { ids: data.map((place: { id: string }) => place.id), town: stop.town, output: await serving.talk }
}

slowTest(
  'addresses are imported once, reused at the next start, and not required',
  async () => {
    writeFileSync(join(service.folder, 'addresses.csv'), 'stop_id\n1\n')
    const refused = await askOnce(PORT)
    expect(refused.ids.filter((id) => id.startsWith('ban:'))).toEqual([])
    expect(refused.town).toBe('')
    expect(refused.output).toContain('addresses.csv:1: missing_required_column')
    writeFileSync(join(service.folder, 'addresses.csv'), presentFile(ROWS))
    const first = await askOnce(PORT + 3)
    expect([first.ids[0], first.town]).toEqual(['ban:67482_1234_00014', 'Strasbourg'])
    expect(first.output).toContain('addresses: 2 imported')
    const second = await askOnce(PORT + 6)
    expect(second.ids).toEqual(first.ids)
    expect(second.output).toContain('addresses: 2 up to date')
    rmSync(join(service.folder, 'addresses.csv'))
    const missing = await askOnce(PORT + 9)
    expect(missing.ids).toEqual(first.ids)
    expect(missing.output).toContain('ENOENT')
  },
  60_000,
)
