// Tests that a key never appears again after it has been shown once. The key is sent to every route and through every
// error, in the correct header and in all wrong places, at the most detailed log level. Fails if the key or its secret
// is then found, in plain or encoded form, in the service's output or in a file that it wrote.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ROUTE_LIST } from '../../src/contract/routes.ts'
import { readBody } from '../event-stream.ts'
import { bySize } from '../size.ts'
import { makeAccounts } from './keyed-accounts.ts'
import { commandOf, ServiceFolder, until } from './running.ts'

const PORT = 19_110
/** In each round, every route is requested in every way. */
const ROUNDS = bySize({ quick: 1, ci: 3, full: 20 })
const BASE = `http://127.0.0.1:${PORT}`
const IDS: Readonly<Record<string, string>> = {
  network: 'ville',
  line_id: 'ville:line:A',
  stop_id: 'ville:stop:CA',
  trip_id: 'ville:trip:20260610:a1',
}
const EMAIL = 'canary@a.example'

let folder: ServiceFolder
let canary = ''
let revoked: { id: string; key: string }
/** A key whose account has no units. */
let poor = ''
let service: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
let printed: Promise<string[]>
let requested = 0
const statuses = new Set<number>()

beforeAll(async () => {
  folder = new ServiceFolder(commandOf('source'))
  await Bun.write(
    join(folder.folder, 'quai.toml'),
    `${await Bun.file(join(folder.folder, 'quai.toml')).text()}\n[plans.starter]\nincluded_units = 0\n`,
  )
  const made = await makeAccounts(folder.folder, [
    { email: EMAIL, plan: 'max' },
    { email: 'revoked@a.example', plan: 'max' },
    { email: 'poor@a.example', plan: 'starter' },
  ])
  const [good, gone, without] = made
  if (good === undefined || gone === undefined || without === undefined) throw new Error('one of three keys is missing')
  canary = good.key
  revoked = gone
  poor = without.key
  const before = process.env['QUAI_LOG_LEVEL']
  process.env['QUAI_LOG_LEVEL'] = 'trace'
  service = folder.spawn(
    'serve',
    '--port',
    `${PORT}`,
    '--account-port',
    '0',
    '--admin-port',
    `${PORT + 1}`,
    '--workers',
    '2',
  )
  if (before === undefined) delete process.env['QUAI_LOG_LEVEL']
  else process.env['QUAI_LOG_LEVEL'] = before
  printed = Promise.all([new Response(service.stdout).text(), new Response(service.stderr).text()])
  const isServing = async () => (await fetch(`${BASE}/v1/health`).catch(() => undefined))?.ok === true
  await until(isServing, 'it serves')
}, 60_000)

afterAll(() => {
  service.kill('SIGKILL')
  rmSync(folder.folder, { recursive: true })
})

async function send(path: string, headers: Record<string, string>, init: RequestInit = {}): Promise<void> {
  const answer = await fetch(BASE + path, { ...init, headers })
  statuses.add(answer.status)
  const text = await readBody(answer)
  requested++
  // No response may repeat the credential. Keys in a URL are an exception: errors quote the URL.
  if (!path.includes(canary)) expect(text).not.toContain(canary)
}

/** Sends a key to a path, in every correct and every wrong way. */
async function sendEveryWay(path: string, key: string): Promise<void> {
  const more = path.includes('?') ? '&' : '?'
  const good = { authorization: `Bearer ${key}` }
  await send(path, good)
  await send(path, good, { method: 'HEAD' })
  await send(path, good, { method: 'POST', body: key })
  await send(path, { ...good, accept: 'text/html' })
  await send(path, { ...good, 'if-none-match': `"${key}"`, origin: `https://${key}.example` })
  await send(path, { authorization: `bearer  ${key}  ` })
  await send(path, { authorization: key })
  await send(path, { authorization: `Basic ${btoa(`x:${key}`)}` })
  await send(path, { authorization: `Bearer ${key}x` })
  await send(path, {
    'x-api-key': key,
    cookie: `token=${key}`,
    referer: `https://a.example/?k=${key}`,
    'user-agent': key,
  })
  await send(`${path}${more}key=${key}&limit=1`, {})
  await send(`${path}${more}key=${key}&limit=${key}&lang=${key}`, good)
  await send(`${path}${more}x=${key.repeat(100)}`, good)
  await send(`${path}/${key}`, good)
}

/** The forms in which the key might be stored. */
function formsOf(key: string): Buffer[] {
  const secret = key.slice('quai_p_'.length, -6)
  const bytes = [key, secret, btoa(secret), encodeURIComponent(key)].map((text) => Buffer.from(text))
  return [...bytes, Buffer.from(secret, 'utf16le'), Buffer.from(Buffer.from(secret).toString('hex'))]
}

function listFiles(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** The files in the service's folder that contain at least one of the given forms. */
function filesWith(forms: readonly Buffer[]): string[] {
  return listFiles(folder.folder).filter((path) => {
    if (path.endsWith('.part')) return false // a file of an import that is still running
    if (statSync(path).size === 0) return false
    const bytes = readFileSync(path)
    return forms.some((form) => bytes.includes(form))
  })
}

test('a key appears in nothing that is printed or stored', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    for (const route of ROUTE_LIST) {
      const path = route.path.replace(/:(\w+)/, (_, name: string) => IDS[name] ?? '')
      for (const key of [canary, revoked.key, poor]) await sendEveryWay(path, key)
    }
    for (const path of ['/v1/networks/late', '/v1/nothing', '/docs', '/openapi.json', '/', `/v1/stops/${canary}`]) {
      await sendEveryWay(path, canary)
    }
    if (round === 0) expect(await folder.run('keys', 'revoke', revoked.id)).toMatchObject({ status: 0 })
  }
  await sendEveryWay('/v1/networks', revoked.key)
  expect(requested).toBeGreaterThan(ROUNDS * ROUTE_LIST.length * 3 * 14)
  // Every kind of status must have occurred, including 503 for the network that cannot be served.
  expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400, 401, 404, 405, 406, 414, 429, 503]))

  const talks = [
    await folder.run('keys', 'list', '--json'),
    await folder.run('accounts', 'show', EMAIL),
    await folder.run('ledger', 'verify'),
    await folder.run('backup', 'copy.db'),
    await folder.run('config', 'show'),
  ].flatMap(({ stdout, stderr }) => [stdout, stderr])
  // The files are searched before the service stops, while the database's journal still exists.
  const whileRunning = filesWith([canary, revoked.key, poor].flatMap(formsOf))
  service.kill('SIGTERM')
  await service.exited
  const output = [...talks, ...(await printed)].join('\n')
  for (const form of [canary, revoked.key, poor].flatMap(formsOf)) expect(output).not.toContain(form.toString('latin1'))
  expect(whileRunning).toEqual([])
  expect(filesWith([canary, revoked.key, poor].flatMap(formsOf))).toEqual([])

  // Proves that the search works: it finds the email address in the database and in its copy, and the key's last
  // characters in the output of a command.
  const known = filesWith([Buffer.from(EMAIL)]).map((path) => path.slice(folder.folder.length + 1))
  expect(known).toEqual(expect.arrayContaining(['copy.db', 'data/quai.db']))
  expect(output).toContain(canary.slice(-4))
}, 300_000)
