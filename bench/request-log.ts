// What a line for each request costs: one service, one address, the request log off and on in turn by SIGHUP, processor time
// and requests a second side by side. `bun bench/request-log.ts 2>log`: the service's lines go where ours do.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { benchFeed } from './feeds.ts'
import { digits, processorSeconds } from './measure.ts'
import { makeConfig, startService } from './service.ts'

const ROUNDS = 10
const SECONDS = 3
/** SIGHUP also has the feeds looked at, by a child process: it has ended by then. */
const SETTLE_MILLIS = 1_500
const STATES = ['off', 'all'] as const

const wrk = Bun.which('wrk')
if (wrk === null) throw new Error('this needs wrk: no other load generator asks fast enough')
const feed = await benchFeed()
const { folder, file } = makeConfig(feed.path)
const plain = readFileSync(file, 'utf8')
const clock = new Date().toISOString().replace(/\.\d+/, '')
const service = await startService(file, { clock, workers: 1, port: 18_081 })

async function ask(path: string): Promise<{ data: { id: string }[] }> {
  const answer = await fetch(service.base + path, { headers: { authorization: `Bearer ${service.key}` } })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return JSON.parse(await answer.text())
}

/** Requests in a round of load. */
async function load(path: string): Promise<number> {
  const words = ['-t1', '-c32', `-d${SECONDS}s`, '-H', `Authorization: Bearer ${service.key}`, service.base + path]
  const text = await new Response(Bun.spawn([wrk ?? '', ...words], { stdout: 'pipe' }).stdout).text()
  if (/Non-2xx/.test(text)) throw new Error(`${path} refused some calls: ${text}`)
  return Number(/(\d+) requests in/.exec(text)?.[1] ?? Number.NaN)
}

try {
  const stop = (await ask('/v1/networks/net/stops?limit=1')).data[0]?.id
  const path = `/v1/stops/${stop}/departures?limit=10`
  await load(path)
  const micros = { off: [] as number[], all: [] as number[] }
  const rates = { off: [] as number[], all: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const state of round % 2 === 0 ? STATES : STATES.toReversed()) {
      writeFileSync(file, `${plain}\n[log]\nrequests = "${state}"\n`)
      process.kill(service.pid, 'SIGHUP')
      await Bun.sleep(SETTLE_MILLIS)
      const before = await processorSeconds(service.pid)
      const requests = await load(path)
      micros[state].push(((await processorSeconds(service.pid)) - before) * (1e6 / requests))
      rates[state].push(requests / SECONDS)
    }
  }
  for (const state of STATES) {
    const [least = 0, , , median = 0] = micros[state].toSorted((a, b) => a - b)
    const best = Math.max(...rates[state])
    console.log(
      `${state}: ${digits(least)} µs of processor a request at best, median ${digits(median)}; ${digits(best)}/s`,
    )
  }
  // Neighbours in time have the same machine: what else runs on it falls out of their ratio.
  const ratios = micros.all.map((value, round) => value / (micros.off[round] ?? Number.NaN)).sort((a, b) => a - b)
  const percent = (ratio = Number.NaN) => `${((ratio - 1) * 100).toFixed(1)} %`
  const ofBest = Math.min(...micros.all) / Math.min(...micros.off)
  console.log(
    `on costs, in processor time: ${percent(ratios[ROUNDS / 2])} (median of pairs), ${percent(ofBest)} (best of each)`,
  )
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
