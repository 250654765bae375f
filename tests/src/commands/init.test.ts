// Tests `quai init`, which checks a feed and writes a configuration that serves it. Fails if the file cannot be used,
// if an existing one is overwritten, or if a feed that cannot be served leaves a file behind.
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { type Ask, type InitOptions, runInit, toId } from '../../../src/commands/init.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { parseClock } from '../../../src/system/clock.ts'
import { dedent, SMALL_FEED } from '../../feeds/text-feed.ts'
import { slowTest } from '../../slow-test.ts'
import { KeptOutput } from '../account-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'quai-init-test-'))
afterAll(() => rmSync(folder, { recursive: true }))
let made = 0

/**
 * Writes the small feed to a temporary folder, with this agency name if given. Returns the paths of the feed and of the
 * configuration file to be written.
 */
function place(agency?: string) {
  const home = join(folder, String(made++))
  const feed = join(home, 'feed')
  mkdirSync(feed, { recursive: true })
  for (const [name, text] of Object.entries(SMALL_FEED)) writeFileSync(join(feed, name), dedent(text))
  const agencies = `agency_id,agency_name,agency_url,agency_timezone\no,${agency},https://o.example,Europe/Paris\n`
  if (agency !== undefined) writeFileSync(join(feed, 'agency.txt'), agencies)
  return { feed, file: join(home, 'quai.toml') }
}

async function run(options: Partial<InitOptions> & { readonly file: string }, ask: Ask = () => undefined) {
  const io = new KeptOutput()
  const requested = { feed: undefined, id: undefined, name: undefined, ...options }
  const status = await runInit(requested, { clock: parseClock('2026-03-02T08:00:00Z,x0'), ask }, io)
  return { status, stdout: io.out, stderr: io.err }
}

test('writes a configuration that serves the feed, and prints its findings and the next steps', async () => {
  const { feed, file } = place()
  const { status, stdout, stderr } = await run({ feed, file })
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain('Ville: 2 lines, 5 stops')
  expect(stdout).toContain(`wrote ${file}\n`)
  // `serve` occupies the terminal, so it comes after the command that creates a key.
  expect(stdout).toMatch(
    /\n {2}bun \S+ keys create .+\n {2}bun \S+ serve --config .+\n\nWhen the service is running, in another terminal:\n {2}curl /,
  )
  const { networks, dataDir } = loadConfig({ file, flags: {} })
  expect(networks.map(({ feeds }) => feeds)).toEqual([[]])
  expect(networks[0]?.gtfs.map(({ source }) => source)).toEqual([feed])
  expect(dataDir).toBe(join(file, '..', 'data'))
  expect(stdout).toContain(`/v1/networks/${networks[0]?.id}\n`)
})

test('the next steps begin with what the user typed', () => {
  const { feed, file } = place()
  const home = join(file, '..')
  const main = join(import.meta.dir, '../../../src/main.ts')
  const env = { ...process.env, QUAI_CLOCK: '2026-03-02T08:00:00Z' }
  const { stdout } = Bun.spawnSync([process.execPath, main, 'init', feed], { cwd: home, env })
  expect(stdout.toString()).toContain(`\n  bun ${relative(home, main)} serve\n`)
})

test('commented-out settings are valid', async () => {
  const { feed, file } = place()
  expect((await run({ feed, file })).status).toBe(0)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^# (?=[a-z_]+ = |\[)/gm, ''))
  const { audience, mail, streets, networks } = loadConfig({ file, env: { SMTP_PASSWORD: 'p', OPERATOR_KEY: 'k' } })
  expect([audience, mail?.password, streets.length]).toEqual(['api.example.org', 'p', 1])
  expect([networks[0]?.city, networks[0]?.feeds[0]?.headers]).toEqual(['Ville', { 'x-api-key': 'k' }])
})

test('uses the name of the first agency, whatever its characters', async () => {
  const { feed, file } = place('"Compagnie ""des"" Trams\u001b[2J \\ d’Été"')
  const { status, stdout } = await run({ feed, file })
  expect([status, stdout.includes('\u001b')]).toEqual([0, false])
  const [network] = loadConfig({ file, flags: {} }).networks
  expect([network?.id, network?.name.startsWith('Compagnie "des" Trams')]).toEqual(['compagnie-des-trams-2j-d', true])
})

test('uses a given id and name, and rejects an id that URLs cannot have', async () => {
  const { feed, file } = place()
  await expect(run({ feed, file, id: 'a b' })).rejects.toThrow('networks[0].id must be a word')
  await expect(run({ feed, file, id: 'ban' })).rejects.toThrow('must not be "ban"')
  expect(existsSync(file)).toBe(false)
  expect((await run({ feed, file, id: 'nord', name: 'Nord' })).status).toBe(0)
  expect(loadConfig({ file, flags: {} }).networks[0]).toMatchObject({ id: 'nord', name: 'Nord' })
})

test('overwrites nothing', async () => {
  const { feed, file } = place()
  writeFileSync(file, 'port = 1\n')
  const { status, stdout, stderr } = await run({ feed, file })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toBe(`quai init: ${file} already exists. Choose another file with --file\n`)
  expect(readFileSync(file, 'utf8')).toBe('port = 1\n')
})

test('a feed that cannot be served creates no file', async () => {
  const { feed, file } = place()
  rmSync(join(feed, 'stops.txt'))
  const refused = await run({ feed, file })
  expect([refused.status, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toContain('cannot be served')
  expect(refused.stderr).toContain(`quai check ${feed}`)
  expect(existsSync(file)).toBe(false)
})

slowTest('a feed that cannot be downloaded creates no file', async () => {
  const { file } = place()
  const { status, stderr } = await run({ feed: 'http://127.0.0.1:1/feed.zip', file })
  expect([status, stderr.startsWith('quai init: http://127.0.0.1:1/'), stderr.endsWith('(ECONNREFUSED)\n')]).toEqual([
    1,
    true,
    true,
  ])
  expect(existsSync(file)).toBe(false)
})

test('asks for a feed on a terminal, and names what is missing without one', async () => {
  const { feed, file } = place()
  expect(await run({ file })).toMatchObject({ status: 2, stderr: expect.stringContaining('quai init FEED') })
  expect((await run({ file }, () => feed)).status).toBe(0)
})

test('a missing path is named; a terminal asks again until the input is empty', async () => {
  const { feed, file } = place()
  const missing = join(folder, 'operator.example')
  const message = `quai init: there is no file or folder ${missing}. A URL starts with http:// or https://\n`
  expect(await run({ feed: missing, file })).toMatchObject({ status: 1, stdout: '', stderr: message })
  const typed = [missing]
  expect(await run({ file }, () => typed.shift())).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^quai init: there is no .*\nquai init: name a feed: /),
  })
  const corrected = [missing, feed]
  expect(await run({ file }, () => corrected.shift())).toMatchObject({ status: 0, stderr: message })
})

test('a name becomes an id of whole words, with at most 24 letters', () => {
  expect(
    ['Métro de l’Été', 'Compagnie des transports strasbourgeois', '東京', 'RATP', 'A'.repeat(40)].map(toId),
  ).toEqual(['metro-de-l-ete', 'compagnie-des-transports', 'network', 'ratp', 'a'.repeat(24)])
})
