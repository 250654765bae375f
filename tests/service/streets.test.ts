// Tests streets on a service that runs as a process, from the configuration to the response. Streets are read after the
// start, and replaced and removed while clients send requests. If the file is bad, missing or for another city, the
// service must keep using the previous streets, or straight walks if there are none. Fails if a response is missing in
// the meantime, if a network is no longer served, or if a problem is not reported.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { smallStreets, streetFile } from '../feeds/small-streets.ts'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'

const PORT = 18_890
const NETWORK = '[[networks]]\nid = "ville"\nname = "Ville"\ncity = "Ville"\ngtfs = "ville"\n'
const STREETS = 'streets = ["ville.osm.pbf"]\n'
/** A query from near Gare to near Port, with walks of a few meters at both ends. */
const JOURNEY = '/v1/journeys?from=48.5851,7.7352&to=48.5751,7.7698&limit=1&include=geometry'

let service: ServiceFolder
let serving: Serving
let key = ''

function settings(top: string, ofNetwork = ''): void {
  writeFileSync(join(service.folder, 'quai.toml'), `data_dir = "data"\n${top}${NETWORK}${ofNetwork}`)
}

/** Replaces the extract by renaming a new file over it, so that the service never reads an incomplete extract. */
function putExtract(bytes: Uint8Array): void {
  writeFileSync(join(service.folder, 'next.pbf'), bytes)
  renameSync(join(service.folder, 'next.pbf'), join(service.folder, 'ville.osm.pbf'))
}

async function get(path: string) {
  // Each connection belongs to one thread, so a new connection for each request lets every thread answer some.
  const headers = { authorization: `Bearer ${key}`, connection: 'close' }
  const answer = await fetch(serving.base + path, { headers })
  const body = JSON.parse(await answer.text())
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`)
  return body
}

/** Requests a journey; returns the source of each of its walks. */
async function sources(): Promise<(string | undefined)[]> {
  const { data } = await get(JOURNEY)
  return data[0].sections.flatMap(({ kind, walk_source }: { kind: string; walk_source?: string }) =>
    kind === 'walk' ? [walk_source ?? 'unsaid'] : [],
  )
}

/** Waits until walks have this source in the responses of all threads. */
async function untilWalks(source: string): Promise<void> {
  await until(async () => {
    const all = await Promise.all(Array.from({ length: 6 }, sources))
    return all.every((each) => each.join() === `${source},${source}`)
  }, `walks are ${source}`)
}

/** Base URL of the explorer. */
function explorer(): string {
  return /the explorer is at (\S+)/.exec(serving.output())?.[1] ?? ''
}

/** The path of the base map in the explorer's page; empty if there is none. */
async function mapPath(): Promise<string> {
  const page = await (await fetch(explorer())).text()
  return /quai-tiles" content="([^"]*)"/.exec(page)?.[1] ?? 'no meta element'
}

/** Sends SIGHUP, and waits until the log matches. */
async function reload(expected: RegExp): Promise<void> {
  const before = serving.output().length
  serving.child.kill('SIGHUP')
  await until(() => expected.test(serving.output().slice(before)), `${expected} was logged`)
}

beforeAll(async () => {
  service = new ServiceFolder(commandOf('source'), '')
  settings(STREETS)
  mkdirSync(join(service.folder, 'ville'))
  for (const [name, text] of Object.entries(SMALL_FEED))
    writeFileSync(join(service.folder, 'ville', name), dedent(text))
  key = await service.makeKey('tests')
  putExtract(streetFile())
  serving = await service.serve({ workers: 2, port: PORT })
}, 60_000)
afterAll(async () => {
  await end(serving)
  rmSync(service.folder, { recursive: true })
})

test('streets are read after the start and used by every thread', async () => {
  await untilWalks('streets')
  expect(serving.output()).toMatch(/quai: streets: 4 km read in /)
  expect((await get('/v1/networks/ville')).data.walks).toBe('streets')
  expect((await get(JOURNEY)).meta.attribution).toContain('© OpenStreetMap contributors')
}, 30_000)

test('the explorer shows a map of them under its own name; the operator may switch it off', async () => {
  await until(async () => (await mapPath()) !== '', 'the map is made')
  const path = await mapPath()
  expect(path).toMatch(/^\/ground-[0-9a-z]+\.pmtiles$/)
  const answer = await fetch(explorer() + path, { headers: { range: 'bytes=0-6' } })
  expect([answer.status, await answer.text()]).toEqual([206, 'PMTiles'])
  expect(answer.headers.get('cache-control')).toContain('immutable')
  expect((await fetch(`${explorer()}/ground-nothing.pmtiles`)).status).toBe(404)
  const overview = async () => JSON.parse(await (await fetch(`http://127.0.0.1:${PORT + 1}/overview.json`)).text())
  expect((await overview()).streets.map).toMatchObject({ is_served: true, problem: null, warnings: [] })
  settings(`ground = false\n${STREETS}`)
  await reload(/reload: ground: true → false/)
  await until(async () => (await mapPath()) === '', 'the page names no map')
  expect((await overview()).streets.map).toBeNull()
  settings(STREETS)
  await reload(/reload: ground: false → true/)
  await until(async () => (await mapPath()) === path, 'the page names the map again')
}, 60_000)

test('a damaged file is reported, and the previous streets stay in use', async () => {
  for (const [bytes, problem] of [
    [streetFile().subarray(0, -7), /ville\.osm\.pbf at byte \d+: the file ends within a blob/],
    [Buffer.from('PK'), /ville\.osm\.pbf at byte 0: the file is a zip/],
    [streetFile(smallStreets(5)), /no stop in any network is near a street/],
  ] as const) {
    putExtract(bytes)
    await reload(problem)
    await untilWalks('streets')
  }
  const admin = await (await fetch(`http://127.0.0.1:${PORT + 1}/overview.json`)).text()
  expect(admin).toContain('no stop in any network is near a street')
}, 60_000)

test('streets are replaced while requests run', async () => {
  let isOver = false
  const readers = Array.from({ length: 4 }, async () => {
    let answers = 0
    for (; !isOver; answers++)
      if ((await sources()).some((each) => each === 'unsaid')) throw new Error('a walk has no source')
    return answers
  })
  // The new extract lacks the street to the stadium.
  putExtract(streetFile(smallStreets().slice(0, -1)))
  await reload(/streets: 3 km read in /)
  await until(async () => (await get('/v1/networks/ville')).data.walks === 'mixed', 'a stop is on no street')
  isOver = true
  expect(Math.min(...(await Promise.all(readers)))).toBeGreaterThan(0)
}, 60_000)

test('SIGHUP removes streets from one network or all, and restores them', async () => {
  settings(STREETS, 'streets = false\n')
  await reload(/reload: networks\.ville\.streets: true → false/)
  await untilWalks('unsaid')
  expect(await get('/v1/networks/ville')).not.toHaveProperty('data.walks')
  settings('')
  await reload(/reload: streets: \["ville\.osm\.pbf"\] → \[\]|reload: streets/)
  await untilWalks('unsaid')
  settings(STREETS)
  await reload(/settings applied/)
  await untilWalks('streets')
}, 60_000)

test('streets are read from disk at the next start, without their source file', async () => {
  await end(serving)
  rmSync(join(service.folder, 'ville.osm.pbf'))
  serving = await service.serve({ workers: 2, port: PORT })
  await untilWalks('streets')
  await until(() => /streets: an extract cannot be read/.test(serving.output()), 'the missing file was logged')
  await untilWalks('streets')
}, 60_000)
