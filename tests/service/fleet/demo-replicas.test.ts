// Tests `quai demo --replicas`. Fails if a printed link or command does not work, if replicas do not count units
// together, if a killed replica is not restarted (at full size), or if files or processes are left behind at the end.
import { afterEach, describe, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasOwnPostgres } from '../../databases/own-postgres.ts'
import { bySize, SIZE } from '../../size.ts'
import { commandOf, until } from '../running.ts'
import { isReady } from './fleet.ts'

const PORT = 19_940
const REPLICAS = bySize({ quick: 2, ci: 2, full: 3 })
const CALLS = 6
const isRun = SIZE !== 'quick' && hasOwnPostgres()
if (!isRun) console.log('left out: the demo with several replicas (ci and full, where PostgreSQL is installed)')

let folder: string
let demo: Bun.Subprocess<'ignore', 'pipe', 'inherit'>

afterEach(async () => {
  demo.kill('SIGTERM')
  await demo.exited
  rmSync(folder, { recursive: true, force: true })
})

describe.skipIf(!isRun)('the demo with several replicas', () => {
  test('prints links and commands that work, and cleans up', async () => {
    folder = mkdtempSync(join(tmpdir(), 'quai-demo-test-'))
    chmodSync(folder, 0o755) // lets the database in, which runs as another user if the tests run as root
    const words = ['demo', '--replicas', `${REPLICAS}`, '--port', `${PORT}`, '--data', 'data']
    const kind = process.env['QUAI_BINARY'] === undefined ? 'source' : 'binary'
    demo = Bun.spawn([...commandOf(kind), ...words], {
      cwd: folder,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
      env: { ...process.env, TMPDIR: folder },
    })
    const greeting = await readGreeting()
    const links = [...greeting.matchAll(/replica-\d+ +API (\S+) +admin (\S+)/g)]
    expect(links).toHaveLength(REPLICAS)
    const [loop, usage, kill] = ['for ', 'curl ', 'kill '].map((word) => findCommand(greeting, word))
    const key = findCommand(greeting, 'KEY=')
    const headers = { authorization: `Bearer ${key.slice('KEY='.length)}` }
    // On a busy machine, a replica may not get units in time for its first call, so the call is repeated.
    for (const [, api] of links) await until(async () => (await fetch(`${api}/networks`, { headers })).ok, api)
    expect((await run(`${key}; ${loop}`)).match(/^ratelimit:/gim)).toHaveLength(CALLS)
    const heads = await run(`${key}; ${loop.replace(/ \| grep [^;]*/, '')}`)
    expect([...heads.matchAll(/^HTTP\S+ (\d+)/gm)].map(([, status]) => status)).toEqual(Array(CALLS).fill('200'))
    const units = REPLICAS + 2 * CALLS
    await until(async () => unitsOf(await run(`${key}; ${usage}`)) === units, 'all calls count together')
    expect((await fetch(/all of them (\S+)/.exec(greeting)?.[1] ?? '')).status).toBe(200)
    const map = /map +(http:[^#]+)#key=/.exec(greeting)?.[1] ?? ''
    const tiles = /quai-tiles" content="\/(ground-[0-9a-z]+\.pmtiles)"/.exec(await (await fetch(map)).text())?.[1]
    const head = await fetch(`${map}${tiles}`, { headers: { range: 'bytes=0-6' } })
    expect([head.status, await head.text()]).toEqual([206, 'PMTiles'])
    // Pages from the first replica must be allowed to call the other replicas.
    for (const [, api] of links) {
      const answer = await fetch(`${api}/networks`, { headers: { ...headers, origin: new URL(map).origin } })
      expect(answer.headers.get('access-control-allow-origin')).toBe(new URL(map).origin)
    }
    if (SIZE === 'full') {
      await run(kill)
      const [, [, , admin]] = links
      expect(await isReady({ admin })).toBe(false)
      await until(() => isReady({ admin }), 'the killed replica is back')
    }
    demo.kill('SIGINT')
    expect(await demo.exited).toBe(0)
    expect(readdirSync(folder)).toEqual(['data'])
    for (const [, , admin] of links) expect(await fetch(`${admin}/readyz`).catch(() => 'gone')).toBe('gone')
  }, 120_000)
})

async function readGreeting(): Promise<string> {
  const decoder = new TextDecoder()
  let greeting = ''
  for await (const chunk of demo.stdout) {
    greeting += decoder.decode(chunk, { stream: true })
    if (greeting.includes('Ctrl-C')) return greeting
  }
  throw new Error(`the demo ended with ${await demo.exited}`)
}

/** The first printed line that begins with `word`. */
function findCommand(greeting: string, word: string): string {
  const line = greeting.split('\n').find((each) => each.trimStart().startsWith(word))
  if (line === undefined) throw new Error(`nothing printed begins with ${word}`)
  return line.trim()
}

async function run(command: string): Promise<string> {
  return await Bun.$`sh -c ${command}`.text()
}

function unitsOf(usage: string): number {
  return (JSON.parse(usage) as { data: { units: number } }).data.units
}
