// Lets Prometheus's promtool check the kit's rules and scrape configuration, and the metrics of a service that has
// handled requests and read a live feed. QUAI_PROMTOOL names the program; by default, it is searched for on the PATH.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { aroundTheClockZip, comingTrip, liveMessage } from '../feeds/around-the-clock-feed.ts'
import { OperatorsMachine, type RunningService } from './operators-machine.ts'
import { until } from './running.ts'

const PORTS = { port: 18_986, adminPort: 18_987 }
const PROMTOOL = process.env['QUAI_PROMTOOL'] ?? Bun.which('promtool')
if (PROMTOOL === null) console.log('left out: promtool (QUAI_PROMTOOL is not set, and promtool is not on the path)')

let machine: OperatorsMachine
let upstream: ReturnType<typeof Bun.serve>
let service: RunningService

/** Runs promtool; returns its output and exit status. */
async function promtool(words: readonly string[], input = ''): Promise<{ status: number; printed: string }> {
  const child = Bun.spawn([PROMTOOL ?? '', ...words], { stdin: new Blob([input]), stdout: 'pipe', stderr: 'pipe' })
  const [output, talk] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { status: await child.exited, printed: output + talk }
}

describe.skipIf(PROMTOOL === null)('promtool', () => {
  beforeAll(async () => {
    const trip = comingTrip()
    upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(liveMessage(trip, 60)) })
    machine = new OperatorsMachine()
    writeFileSync(machine.path('ville.zip'), aroundTheClockZip('Ville'))
    machine.writeSettings(
      { ...PORTS, workers: 2 },
      `[[networks]]
id = "ville"
gtfs = "ville.zip"
[[networks.feeds]]
id = "trips"
url = "http://127.0.0.1:${upstream.port}/"
budget = { limit = 100000, window = "day" }
[[networks]]
id = "none"
gtfs = "none.zip"
`,
    )
    expect((await machine.quai('kit', 'ops')).status).toBe(0)
    const made = await machine.quai('keys', 'create', '--account', 'a@b.example', '--plan', 'max', '--name', 'a')
    service = await machine.serve(PORTS)
    for (const path of ['/v1/networks', '/v1/stops/ville:stop:north/departures', '/v1/nothing', '/v1/health']) {
      await service.request(path, made.stdout.trim())
    }
    await until(async () => (await service.metric('quai_feed_match_ratio{network="ville",feed="trips"}')) === 1, 'live')
  }, 60_000)
  afterAll(async () => {
    service.child.kill('SIGKILL')
    await upstream.stop(true)
    machine.remove()
  })

  test('finds nothing wrong with the metrics of a running service', async () => {
    const text = await (await fetch(`http://127.0.0.1:${PORTS.adminPort}/metrics`)).text()
    expect(await promtool(['check', 'metrics'], text)).toEqual({ status: 0, printed: '' })
    // Shows that the check works: it must find a wrong name.
    const wrong = await promtool(['check', 'metrics'], text.replaceAll('quai_units_total', 'quai_units'))
    expect([wrong.status === 0, wrong.printed]).toEqual([false, expect.stringContaining('quai_units')])
  })

  test('reads the rules and the scrape configuration of the kit', async () => {
    const rules = await promtool(['check', 'rules', machine.path('ops', 'alerts.yaml')])
    expect(rules).toEqual({ status: 0, printed: expect.stringContaining('SUCCESS') })
    const config = await promtool(['check', 'config', machine.path('ops', 'prometheus.yaml')])
    expect(config).toEqual({
      status: 0,
      printed: expect.stringMatching(/SUCCESS: 1 rule files found(.|\n)*rules found/),
    })
    const broken = readFileSync(machine.path('ops', 'alerts.yaml'), 'utf8').replace('expr: ', 'expr: ((')
    writeFileSync(machine.path('ops', 'alerts.yaml'), broken)
    expect((await promtool(['check', 'rules', machine.path('ops', 'alerts.yaml')])).status).not.toBe(0)
  })
})
