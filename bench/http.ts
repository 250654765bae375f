// One path of the service beside a bare server that sends the same bytes: processor time a request, side by side.
import { digits, processMemory, processorSeconds } from './measure.ts'
import type { RunningService } from './service.ts'

const ROUNDS = 4
const SECONDS = 2
const CONNECTIONS = 32

/** A run of the load generator: wrk where it is installed, else autocannon, which reaches less. */
async function load(url: string, key: string): Promise<number> {
  const header = `Authorization: Bearer ${key}`
  const wrk = Bun.which('wrk')
  if (wrk !== null) {
    const run = Bun.spawn([wrk, '-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '-H', header, url], { stdout: 'pipe' })
    const text = await new Response(run.stdout).text()
    if (/Non-2xx/.test(text)) throw new Error(`${url} refused some calls: ${text}`)
    return Number(/(\d+) requests in/.exec(text)?.[1] ?? Number.NaN)
  }
  const { default: autocannon } = await import('autocannon')
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: SECONDS,
    headers: { authorization: `Bearer ${key}` },
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url} refused ${result.non2xx} calls, ${result.errors} errors`)
  return result.requests.total
}

/** Prints the ratio of a bare server's processor time a request to the service's. */
export async function measureHttp(service: RunningService, path: string): Promise<void> {
  const answer = await fetch(service.base + path, { headers: { authorization: `Bearer ${service.key}` } })
  if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`)
  const body = await answer.text()
  const bare = Bun.spawn([
    process.execPath,
    '-e',
    `Bun.serve({ port: 18099, fetch: () => new Response(${JSON.stringify(body)}, { headers: { 'content-type': 'application/json' } }) })`,
  ])
  try {
    await Bun.sleep(300)
    const micros = { service: [] as number[], bare: [] as number[] }
    const rates: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, pid, url] of [
        ['service', service.pid, service.base + path],
        ['bare', bare.pid, 'http://127.0.0.1:18099/'],
      ] as const) {
        const before = await processorSeconds(pid)
        const requests = await load(url, service.key)
        micros[name].push(((await processorSeconds(pid)) - before) * (1e6 / requests))
        if (name === 'service') rates.push(requests / SECONDS)
      }
    }
    const best = { service: Math.min(...micros.service), bare: Math.min(...micros.bare) }
    console.log(
      `${path.replace(/%3A/g, ':')}: ${digits(best.service)} µs of processor a request, bare ${digits(best.bare)}, ` +
        `ratio ${(best.bare / best.service).toFixed(2)}; ${Math.max(...rates).toFixed(0)} requests a second; ${body.length} bytes; ` +
        `Pss ${digits(await processMemory(service.pid, 'Pss'))} MB`,
    )
  } finally {
    bare.kill()
    await bare.exited
  }
}
