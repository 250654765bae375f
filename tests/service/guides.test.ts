// Tests the guides on a running demo. Every sample runs as written, with the client that the service serves, and must
// print the output that the guide shows. A client generated from the service's OpenAPI document must compile in strict
// mode and work. Fails if a sample has a typo, if a response has changed, or if the OpenAPI document is wrong.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GUIDES, guidePath } from '../../src/docs/guides.ts'
import { SIZE } from '../size.ts'
import { type DemoProcess, startDemo } from './demo-process.ts'
import { isPrinted, type Sample, type SampleLanguage, samplesOf } from './guide-samples.ts'

const PORT = 19_610
const ROOT = join(import.meta.dir, '..', '..')
/** Number of samples that run at the same time. Some samples mostly wait, since they read a stream for a second. */
const SAMPLES_AT_ONCE = 4

/** Language → the command that runs its samples; undefined if the program is not installed. */
const PROGRAMS: Readonly<Record<SampleLanguage, readonly string[] | undefined>> = {
  sh: Bun.which('curl') === null ? undefined : ['sh', '-eu'],
  ts: [process.execPath, 'run'],
  python: Bun.which('python3') === null ? undefined : ['python3'],
}
if (PROGRAMS.sh === undefined) console.log('left out: samples for curl (there is no curl here)')
if (PROGRAMS.python === undefined) console.log('left out: samples in Python (there is no python3 here)')
if (SIZE === 'quick') console.log('left out: the generated client (ci and full)')

const samples = GUIDES.flatMap(samplesOf)
const folder = mkdtempSync(join(tmpdir(), 'quai-guides-'))
const sampleFolder = join(folder, 'samples')
let demo: DemoProcess

beforeAll(async () => {
  demo = await startDemo(PORT)
  const client = join(sampleFolder, 'node_modules', 'quai-client')
  mkdirSync(client, { recursive: true })
  const packed = await fetch(`${demo.base}/docs/client`)
  await Bun.$`tar -xz -C ${client} --strip-components=1 < ${packed}`
}, 90_000)
afterAll(async () => {
  await demo.stop()
  rmSync(folder, { recursive: true })
})

/** Runs a program; returns its output and exit status. */
async function run(command: readonly string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const child = Bun.spawn([...command], {
    cwd: folder,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, QUAI_URL: demo.base, QUAI_KEY: demo.key },
  })
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, stdout, stderr }
}

/** Runs a sample. Returns what is wrong with it; undefined if nothing is. */
async function faultOf(sample: Sample, program: readonly string[]): Promise<string | undefined> {
  const { guide, number, language, code, printed } = sample
  const name = `${guide}, sample ${number} (${language})`
  const file = join(sampleFolder, `${guide}-${number}.${language}`)
  writeFileSync(file, code)
  const { status, stdout, stderr } = await run([...program, file])
  if (status !== 0) return `${name} ended with ${status}: ${stderr}`
  return isPrinted(printed, stdout) ? undefined : `${name} printed\n${stdout}\nbut the guide says\n${printed}`
}

describe('the guides', () => {
  test('have samples in each language', () => {
    for (const language of ['sh', 'ts', 'python'] as const) {
      expect(samples.filter((sample) => sample.language === language).length).toBeGreaterThan(4)
    }
  })

  test('show samples that run and print what is shown', async () => {
    const faults: string[] = []
    const waiting = [...samples]
    const runWaiting = async () => {
      for (let sample = waiting.shift(); sample !== undefined; sample = waiting.shift()) {
        const program = PROGRAMS[sample.language]
        if (program === undefined) continue
        const fault = await faultOf(sample, program)
        if (fault !== undefined) faults.push(fault)
      }
    }
    await Promise.all(Array.from({ length: SAMPLES_AT_ONCE }, runWaiting))
    expect(faults).toEqual([])
  }, 60_000)

  /** Links to headings are checked as well: the page must have an element with the id in the link. */
  test('link only to existing pages', async () => {
    const pages = new Map<string, string | undefined>()
    const read = async (path: string) => {
      if (pages.has(path)) return pages.get(path)
      const page = await fetch(demo.base + path)
      pages.set(path, page.status === 200 ? await page.text() : undefined)
      return pages.get(path)
    }
    const dead: string[] = []
    for (const path of ['/docs/guides', '/docs/errors', ...GUIDES.map(guidePath)]) {
      const text = (await read(path)) ?? ''
      for (const [, target = ''] of text.matchAll(/href="([/#][^"]*)"/g)) {
        const { pathname, hash } = new URL(target, demo.base + path)
        const page = await read(pathname)
        if (page === undefined || (hash !== '' && !page.includes(`id="${hash.slice(1)}"`)))
          dead.push(`${path}: ${target}`)
      }
    }
    expect(dead).toEqual([])
  })
})

/** A program that uses the generated client and its types, for every kind of response and error. */
const PROGRAM = `import { client } from './client/client.gen'
import { getStatus, listDepartures, listLineVehicles, listNetworks, planJourneys, streamDepartures } from './client/sdk.gen'
import type { Departure, Problem, TransitSection } from './client/types.gen'

const stop_id = 'valmont:area:gare-centrale'
client.setConfig({ baseUrl: process.env['QUAI_URL'], auth: process.env['QUAI_KEY'] })

const networks = await listNetworks({ throwOnError: true })
const [network] = networks.data.data
if (network === undefined) throw new Error('there is no network')
const board = await listDepartures({ path: { stop_id }, query: { limit: 2 }, throwOnError: true })
const rows: Departure[] = board.data.data
const delay: number | null = rows[0]?.delay_seconds ?? null
const vehicles = await listLineVehicles({ path: { line_id: 'valmont:line:A' }, throwOnError: true })
const journeys = await planJourneys({
  query: { from: stop_id, to: 'hopital', modes: ['tram', 'bus', 'metro'], limit: 1 },
  throwOnError: true,
})
const rides: TransitSection[] = (journeys.data.data[0]?.sections ?? []).filter((section) => section.kind === 'transit')
const status = await getStatus({ throwOnError: true })
const budgets: number[] = Object.values(status.data.data[0]?.budgets ?? {}).map(({ used }) => used)

const refused = await listNetworks({ auth: 'quai_p_wrong' })
const problem: Problem | undefined = refused.error
if (problem === undefined) throw new Error('a wrong key was accepted')

const leaving = new AbortController()
const { stream } = await streamDepartures({ path: { stop_id }, query: { limit: 1 }, signal: leaving.signal })
let streamed = 0
for await (const event of stream) {
  if ('reason' in event) throw new Error(event.reason)
  streamed = event.data.length
  break
}
leaving.abort()

console.log(JSON.stringify({
  network: network.id,
  mode: network.modes[0],
  departures: rows.length,
  hasDelay: typeof delay,
  vehicles: vehicles.data.data.length > 0,
  rides: rides.length > 0 && rides.every((ride) => ride.stop_ids.length > 1),
  budgets,
  problem: [refused.response?.status, problem.status, problem.reason],
  streamed,
}))
`

/** Programs that use the client wrongly. The type checker must reject them. */
const WRONG_USES = [
  `import { listDepartures } from './client/sdk.gen'\nawait listDepartures({ path: {} })`,
  `import { listDepartures } from './client/sdk.gen'\nawait listDepartures({ path: { stop_id: 'x' }, query: { direction: '2' } })`,
  `import { streamDepartures } from './client/sdk.gen'\nawait streamDepartures({ path: { stop_id: 'x' }, query: { when: 'now' } })`,
  `import type { Departure } from './client/types.gen'\nexport const late = (row: Departure): number => row.delay_seconds`,
  `import type { Journey } from './client/types.gen'\nexport const line = (journey: Journey) => journey.sections[0]?.line`,
]

const TSCONFIG = {
  compilerOptions: {
    target: 'ESNext',
    module: 'ESNext',
    moduleResolution: 'bundler',
    lib: ['ESNext', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    types: ['bun-types'],
    strict: true,
    noEmit: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
  },
}

if (SIZE !== 'quick') describe('a client generated from the document', describeClient)

function describeClient(): void {
  const typeScript = join(ROOT, 'node_modules/.bin/tsc')
  const check = (project: string) => run([typeScript, '--project', join(folder, project)])

  beforeAll(async () => {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const generator = join(ROOT, 'node_modules/@hey-api/openapi-ts/dist/run.mjs')
    const preload = join(import.meta.dir, 'typescript-api.ts')
    const made = await run([
      ...[process.execPath, '--preload', preload, generator, '--no-log-file'],
      ...['-i', `${demo.base}/openapi.json`, '-o', join(folder, 'client')],
    ])
    if (made.status !== 0) throw new Error(`no client was generated: ${made.stdout}${made.stderr}`)
  }, 60_000)

  test('compiles in strict mode and works', async () => {
    writeFileSync(join(folder, 'program.ts'), PROGRAM)
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...TSCONFIG, files: ['program.ts'] }))
    expect(await check('tsconfig.json')).toEqual({ status: 0, stdout: '', stderr: '' })
    const { status, stdout, stderr } = await run([process.execPath, 'run', join(folder, 'program.ts')])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      network: 'valmont',
      mode: 'tram',
      departures: 2,
      hasDelay: 'number',
      vehicles: true,
      rides: true,
      budgets: [],
      problem: [401, 401, 'invalid_token'],
      streamed: 1,
    })
  }, 60_000)

  test('rejects what the document rejects', async () => {
    const files = WRONG_USES.map((_, at) => `wrong-${at}.ts`)
    for (const [at, use] of WRONG_USES.entries()) writeFileSync(join(folder, `wrong-${at}.ts`), use)
    writeFileSync(join(folder, 'wrong.json'), JSON.stringify({ ...TSCONFIG, files }))
    const { stdout } = await check('wrong.json')
    expect(files.filter((file) => !stdout.includes(`${file}(`))).toEqual([])
  }, 60_000)
}
