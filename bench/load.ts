// Generates load at full speed in a separate process: with wrk if it is installed, otherwise with the slower
// autocannon. Any status other than 200 ends the run, because errors are cheap and would look like speed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface LoadOrder {
  readonly base: string
  readonly key: string
  /** The paths to request in turn. All connections share one sequence of paths. */
  readonly paths: readonly string[]
  readonly connections: number
  readonly seconds: number
}

/** Generates the load and returns the number of responses. */
export async function load(order: LoadOrder): Promise<number> {
  return Bun.which('wrk') === null ? await loadByAutocannon(order) : await loadByWrk(order)
}

async function loadByWrk({ base, key, paths, connections, seconds }: LoadOrder): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'quai-load-'))
  try {
    const script = join(folder, 'paths.lua')
    const list = paths.map((path) => JSON.stringify(path)).join(',\n')
    const next = 'at = at % #paths + 1\n  return wrk.format("GET", paths[at])'
    writeFileSync(script, `local paths = {\n${list}\n}\nlocal at = 0\nfunction request()\n  ${next}\nend\n`)
    const header = `Authorization: Bearer ${key}`
    const words = ['-t1', '--timeout', '10s', `-c${connections}`, `-d${seconds}s`, '-s', script, '-H', header, base]
    const run = Bun.spawn([Bun.which('wrk') ?? 'wrk', ...words], { stdout: 'pipe' })
    const text = await new Response(run.stdout).text()
    if (/Non-2xx|Socket errors/.test(text)) throw new Error(`${base} refused some calls to ${paths[0]} …: ${text}`)
    return Number(/(\d+) requests in/.exec(text)?.[1] ?? Number.NaN)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function loadByAutocannon({ base, key, paths, connections, seconds }: LoadOrder): Promise<number> {
  const { default: autocannon } = await import('autocannon')
  const result = await autocannon({
    url: base,
    connections,
    duration: seconds,
    headers: { authorization: `Bearer ${key}` },
    requests: paths.map((path) => ({ method: 'GET', path })),
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${base} refused ${result.non2xx} calls to ${paths[0]} …; ${result.errors} errors`)
  return result.requests.total
}
