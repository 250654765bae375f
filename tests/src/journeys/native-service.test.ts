// Tests an operator's planner with the service as a user runs it, from the configuration to the response. Fails if
// settings or responses are not passed on, or if a secret is revealed.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Value } from '@sinclair/typebox/value'
import { ROUTES } from '../../../src/contract/routes.ts'
import { dedent, SMALL_FEED } from '../../feeds/text-feed.ts'
import { commandOf, end, ServiceFolder, type Serving } from '../../service/running.ts'
import { itinerary, leg, openPlanner, plan, SECRET } from './native-under-test.ts'

const PORT = 18_846
let planner: ReturnType<typeof openPlanner>
let folder: ServiceFolder
let serving: Serving
let key: string

beforeAll(async () => {
  planner = openPlanner()
  const config = `data_dir = "data"
account_port = 0
explorer_port = 0
[[networks]]
id = "ville"
gtfs = "ville"
[networks.planner]
kind = "motis"
url = "${planner.url}"
headers = { "x-api-key" = "${SECRET}" }
`
  folder = new ServiceFolder(commandOf('source'), config)
  mkdirSync(join(folder.folder, 'ville'))
  for (const [name, text] of Object.entries(SMALL_FEED)) writeFileSync(join(folder.folder, 'ville', name), dedent(text))
  key = await folder.makeKey('native')
  serving = await folder.serve({ workers: 1, port: PORT })
}, 60_000)
afterAll(() => {
  serving?.child.kill()
  planner.close()
})

test('its journeys are returned, and ours if it fails; its key appears nowhere', async () => {
  const ask = async (path: string) => {
    const answer = await fetch(serving.base + path, { headers: { authorization: `Bearer ${key}` } })
    return { status: answer.status, text: await answer.text() }
  }
  const path = '/v1/journeys?from=ville:stop:G&to=ville:stop:P'
  const tram = leg({
    mode: 'TRAM',
    from: { lat: 48.585, lon: 7.735, stopId: 'v_G' },
    to: { lat: 48.575, lon: 7.77, stopId: 'v_P' },
    startTime: '2026-06-10T06:10:00Z',
    endTime: '2026-06-10T06:22:00Z',
    tripId: '20260610_08:10_v_a2',
  })
  planner.answer = plan([itinerary(tram)])
  const theirs = await ask(`${path}&planner=native`)
  expect(theirs.status).toBe(200)
  const body: unknown = JSON.parse(theirs.text)
  expect(Value.Check(ROUTES.journeys.answer, body)).toBe(true)
  expect(body).toMatchObject({ data: [{ sections: [{ trip_id: 'ville:trip:20260610:a2' }] }] })
  const [first] = JSON.parse(theirs.text).data
  const again = await ask(`/v1/journeys/${first.id}`)
  expect([again.status, JSON.parse(again.text).data]).toEqual([200, first])
  expect(planner.requested.at(-1)?.headers.get('x-api-key')).toBe(SECRET)
  planner.answer = () => new Response(SECRET, { status: 500 })
  const ours = await ask(`${path}&limit=2`)
  expect(JSON.parse(ours.text)).toMatchObject({
    data: [
      { sections: [{ trip_id: 'ville:trip:20260610:a1' }] },
      { sections: [{ trip_id: 'ville:trip:20260610:a2' }] },
    ],
  })
  const failed = await ask(`${path}&planner=native`)
  expect(failed.status).toBe(503)
  const reported = [theirs, ours, failed, await ask('/v1/status'), await ask('/v1/networks')].map(({ text }) => text)
  expect(await end(serving)).toBe(0)
  const log = await serving.talk
  expect(log).toContain("the operator's planner failed")
  const kept = readdirSync(join(folder.folder, 'data'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
  expect([...reported, log, ...kept].some((text) => text.includes(SECRET))).toBe(false)
}, 60_000)
