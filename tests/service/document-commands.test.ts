// Runs the commands in the README and the documents as they are written there. Fails if a command is neither run by a
// test nor listed with a reason, or if a command ends with an error, gets no data, or finds no service.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GUIDES } from '../../src/docs/guides.ts'
import { makeDatabase, POSTGRES, sayWhatIsLeftOut, type TestDatabase } from '../databases/test-postgres.ts'
import { aroundTheClockZip } from '../feeds/around-the-clock-feed.ts'
import { SIZE } from '../size.ts'
import { type DemoProcess, startDemo } from './demo-process.ts'
import { ELSEWHERE, FEED_FILES, type Filling, fill, VISITS, type Visit } from './document-visits.ts'
import { commandsIn, scriptsIn, serverCommands } from './guide-commands.ts'
import { type TypedLine, TypedShell } from './typed-shell.ts'

const ROOT = join(import.meta.dir, '..', '..')
const DEMO_PORT = 18_520
/** Port of the first visit. A visit runs commands from one document, and uses four ports. */
const FIRST_PORT = 18_524
const VISIT_MILLIS = 120_000
const VISITS_AT_ONCE = 3
const MOST_TRIES = 6

const documents = ['README.md', ...new Bun.Glob('src/docs/**/*.md').scanSync(ROOT)].sort()
const textOf = (document: string) => readFileSync(join(ROOT, document), 'utf8')
/** Whether a command is a sample in a guide. guides.test.ts runs the samples and compares their output. */
const isSample = (document: string, language: string) =>
  language === 'sh' && GUIDES.some(({ name }) => document === `src/docs/guides/${name}.md`)
const typedOnServer = new Set(serverCommands())
const isOnServer = (document: string, line: string) =>
  /\/(install|operate)\.md$/.test(document) && typedOnServer.has(line)

/** The commands in a document that this test must run, or that `ELSEWHERE` must list with a reason. */
function commandsFor(document: string) {
  return commandsIn(textOf(document)).filter(
    ({ line, language }) => !isSample(document, language) && !isOnServer(document, line),
  )
}

/** The commands that a visit runs. */
function linesOf({ document, sections }: Visit): string[] {
  return commandsFor(document)
    .filter(({ section }) => sections === undefined || sections.includes(section))
    .map(({ line }) => line)
    .filter((line) => ELSEWHERE[line] === undefined)
}

describe('the commands of the documents', () => {
  test('are typed here, or listed with the file that runs them', () => {
    const missed = documents.flatMap((document) => {
      const typed = new Set(VISITS.filter((visit) => visit.document === document).flatMap(linesOf))
      return commandsFor(document)
        .filter(({ line, language }) => !(language === 'console' || language === 'sh') || !typed.has(line))
        .filter(({ line }) => ELSEWHERE[line] === undefined)
        .map(({ line }) => `${document}: ${line}`)
    })
    expect(missed).toEqual([])
  })

  test('if listed, are in a document, and a file runs them', () => {
    const all = new Set(documents.flatMap((document) => commandsFor(document).map(({ line }) => line)))
    expect(Object.keys(ELSEWHERE).filter((line) => !all.has(line))).toEqual([])
    expect(Object.values(ELSEWHERE).filter(({ runBy }) => !existsSync(join(ROOT, runBy)))).toEqual([])
    expect(VISITS.filter((visit) => linesOf(visit).length === 0)).toEqual([])
  })
})

/** Describes what is wrong with the result of a command; undefined if the command succeeded. */
function faultOf(line: string, { status, stdout, stderr }: TypedLine): string | undefined {
  if (status !== 0) return `ended with ${status}: ${stderr}${stdout}`
  if (/^curl .*\/v1\//.test(line) || /^curl .*\$QUAI_URL/.test(line)) {
    const { data } = JSON.parse(stdout) as { data?: object }
    return data === undefined || Object.keys(data).length === 0 ? `got no data: ${stdout}` : undefined
  }
  if (line.includes('autocannon')) {
    const [, table = ''] = `${stdout}${stderr}`.split('│ Code │')
    const codes = [...table.matchAll(/^│ (\d{3}) +│/gm)].map(([, code]) => code)
    return codes.join() === '200' ? undefined : `had responses with ${codes.join() || 'no status'}: ${stdout}${stderr}`
  }
  return undefined
}

/** The end of a replica's `quai.toml`, which follows the database settings. */
const CLUSTER = 'data_dir = "data"\n[cluster]\n[[networks]]\nid = "city"\ngtfs = "city.zip"\n'
/** Site of a visit → the commands that run before the visit's own commands. */
const PREPARED: Readonly<Record<Visit['site'], readonly string[]>> = {
  demo: [],
  feeds: [],
  settings: ['quai init city.zip --id city', 'quai keys create --account dev@example.org --plan free --name first'],
  cluster: ['quai pepper make pepper', 'quai serve'],
}

if (SIZE === 'quick') console.log('left out: the commands of the documents, typed (ci and full)')
else describe('as typed', describeVisits)

function describeVisits(): void {
  sayWhatIsLeftOut()
  const zip = aroundTheClockZip('Ville')
  const visits = VISITS.filter(({ site }) => site !== 'cluster' || POSTGRES !== undefined)
  const outcomes = visits.map(() => Promise.withResolvers<string | undefined>())
  let lanes: Promise<void>[] = []
  let starting: Promise<DemoProcess> | undefined
  let database: TestDatabase | undefined
  const web = Bun.serve({ port: 0, fetch: () => new Response(zip) })

  beforeAll(async () => {
    if (POSTGRES !== undefined) database = await makeDatabase()
    starting = startDemo(DEMO_PORT)
    starting.catch(() => undefined) // if the demo does not start, the visits that use it report the error
    const waiting = [...visits.entries()]
    const visitWaiting = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [at, each] = next
        const fault = visit(each, FIRST_PORT + 4 * at).catch((error) => `${error}`)
        outcomes[at]?.resolve(await fault)
      }
    }
    lanes = Array.from({ length: VISITS_AT_ONCE }, visitWaiting)
  }, VISIT_MILLIS)
  afterAll(async () => {
    await Promise.all(lanes)
    await starting?.then(
      (demo) => demo.stop(),
      () => undefined,
    )
    await database?.remove()
    await web.stop(true)
  }, VISIT_MILLIS)

  /** Runs the commands of a visit. Returns what is wrong with the first command that fails; undefined if none fails. */
  async function visit(each: Visit, port: number): Promise<string | undefined> {
    const { site, document } = each
    const shell = new TypedShell(port)
    try {
      const own = { base: `http://localhost:${port}`, key: '' }
      const { base, key } = (site === 'demo' ? await starting : undefined) ?? own
      const filling = { base, key, feedUrl: `http://127.0.0.1:${web.port}/gtfs.zip` }
      for (const name of FEED_FILES) writeFileSync(shell.path(name), zip)
      for (const [name, code] of scriptsIn(textOf(document))) writeFileSync(shell.path(name), code)
      if (site === 'cluster')
        writeFileSync(shell.path('quai.toml'), `database_url = "${database?.url}"\npepper_file = "pepper"\n${CLUSTER}`)
      return await typeAll(shell, [...PREPARED[site], ...linesOf(each)], filling)
    } finally {
      await shell.close()
    }
  }

  for (const [at, { document, sections = ['all of it'] }] of visits.entries())
    test(
      `${document}: ${sections.join(', ')}`,
      async () => expect(await outcomes[at]?.promise).toBeUndefined(),
      VISIT_MILLIS,
    )
}

/** Whether a command got a 503 and must be repeated: on a busy machine, planning a journey may take too long. */
function isBusy({ stdout, stderr }: TypedLine): boolean {
  return stdout.includes('"status":503') || /│ 503 +│/.test(stderr)
}

/**
 * Runs commands until one fails, and returns what is wrong with it; undefined if none fails. Unless a key is given, a
 * key that a command creates is used in the later commands.
 */
async function typeAll(shell: TypedShell, lines: readonly string[], filling: Filling): Promise<string | undefined> {
  let { key } = filling
  for (const line of lines) {
    let typed = await shell.type(fill(line, { ...filling, key }))
    for (let tries = 1; tries < MOST_TRIES && isBusy(typed); tries++)
      typed = await shell.type(fill(line, { ...filling, key }))
    const fault = faultOf(line, typed)
    if (fault !== undefined) return `${line}\n${fault}`
    if (filling.key === '' && line.includes(' keys create ')) key = typed.stdout.trim()
  }
  return undefined
}
