// Tests a service's account port, from a sign-up to a login, with emails that are really sent over SMTP. Also tests the
// state after a kill. Fails if a session is lost, or if a forged header changes the link in an email.
import { afterEach, expect, test } from 'bun:test'
import { SmtpSink } from '../src/account-api/smtp-sink.ts'
import { SoftPasskey } from '../src/account-api/soft-passkey.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'

const PORT = 19_120
const ACCOUNT_PORT = 19_122
const BASE = `http://127.0.0.1:${ACCOUNT_PORT}`
const EMAIL = 'ada@example.org'
const PASSWORD = 'vierzig rote Regenschirme'

const running: Serving[] = []
const sinks: SmtpSink[] = []

afterEach(async () => {
  for (const serving of running.splice(0)) await end(serving, 'SIGKILL')
  for (const sink of sinks.splice(0)) sink.stop()
})

function makeService(kind: 'source' | 'binary'): { folder: ServiceFolder; sink: SmtpSink } {
  const sink = new SmtpSink()
  sinks.push(sink)
  const mail = `[mail]\nhost = "127.0.0.1"\nport = ${sink.port}\nfrom = "Quai <quai@example.net>"\n`
  return { folder: new ServiceFolder(commandOf(kind), `data_dir = "data"\n${mail}`), sink }
}

async function serve(folder: ServiceFolder): Promise<Serving> {
  const serving = await folder.serve({ workers: 1, port: PORT, accountPort: ACCOUNT_PORT })
  running.push(serving)
  return serving
}

function send(method: string, path: string, given: { body?: object; headers?: Record<string, string> }) {
  const headers = new Headers(given.headers)
  if (given.body !== undefined) headers.set('content-type', 'application/json')
  return fetch(BASE + path, { method, headers, body: given.body && JSON.stringify(given.body) })
}

/** Waits until there are `count` emails, and returns the token in the newest. */
async function tokenOf(sink: SmtpSink, count: number): Promise<string> {
  await until(() => sink.mails.length === count, `there are ${count} emails`)
  const text = sink.mails[count - 1]?.data.replace(/=\n/g, '').replaceAll('=3D', '=') ?? ''
  expect(text).not.toContain('evil')
  const [, address, token] = /(http\S+)#\/\w+\?token=([\w-]{43})/.exec(text) ?? []
  expect(address).toBe(`http://localhost:${ACCOUNT_PORT}/console`)
  return token ?? ''
}

/** Adds a passkey and logs in with it. */
async function usePasskey(headers: Record<string, string>): Promise<void> {
  const passkey = new SoftPasskey({ id: 'localhost', origin: `http://localhost:${ACCOUNT_PORT}` })
  const challengeOf = async (path: string) =>
    String(Object(await (await send('POST', path, { headers })).json()).options?.challenge)
  const made = passkey.make(await challengeOf('/v1/passkeys/setups'))
  const added = await send('POST', '/v1/passkeys', { body: { name: 'laptop', answer: made }, headers })
  expect(added.status).toBe(201)
  const used = passkey.use(await challengeOf('/v1/passkey-challenges'))
  expect((await send('POST', '/v1/passkey-sessions', { body: { answer: used } })).status).toBe(200)
}

/**
 * If there is a binary, it is tested too, because it loads its code for emails, passwords and passkeys only when
 * needed.
 */
const KINDS = process.env['QUAI_BINARY'] === undefined ? (['source'] as const) : (['source', 'binary'] as const)

test.each(KINDS)(
  '%s: sign-up, verification, a kill, the same session; a reset ends it',
  async (kind) => {
    const { folder, sink } = makeService(kind)
    const first = await serve(folder)
    const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    const signedUp = await send('POST', '/v1/sign-up', { body: { email: EMAIL, password: PASSWORD }, headers: forged })
    expect(signedUp.status).toBe(202)
    const token = await tokenOf(sink, 1)
    const verified = await send('POST', '/v1/verifications', { body: { token } })
    expect(verified.status).toBe(200)
    const cookie = verified.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const { csrf_token: csrf } = Object(await verified.json())
    await usePasskey({ cookie, 'x-csrf-token': String(csrf) })
    const common = { email: 'eve@example.org', password: 'Basketball' }
    expect((await send('POST', '/v1/sign-up', { body: common })).status).toBe(400)
    await until(() => sink.mails.length === 2, 'there is the email about the passkey')
    await end(first, 'SIGKILL')

    await serve(folder)
    expect((await send('POST', '/v1/verifications', { body: { token } })).status).toBe(400)
    const session = await send('GET', '/v1/session', { headers: { cookie } })
    expect(await session.json()).toMatchObject({
      account: { email: EMAIL, state: 'active', plan: 'free' },
      api_url: `http://localhost:${PORT}`,
    })
    await send('POST', '/v1/password-resets', { body: { email: EMAIL }, headers: forged })
    const reset = { token: await tokenOf(sink, 3), password: 'siebzehn gelbe Fahrkarten' }
    expect((await send('POST', '/v1/password-resets/confirm', { body: reset })).status).toBe(200)
    expect((await send('GET', '/v1/session', { headers: { cookie } })).status).toBe(401)
    expect((await send('POST', '/v1/password-resets/confirm', { body: reset })).status).toBe(400)
  },
  60_000,
)

test('if the account port is in use, the start fails with a message and serves nothing', async () => {
  const taken = Bun.serve({ hostname: '127.0.0.1', port: ACCOUNT_PORT, fetch: () => new Response('mine') })
  try {
    const { folder } = makeService('source')
    const ports = ['--port', `${PORT + 4}`, '--admin-port', `${PORT + 5}`, '--account-port', `${ACCOUNT_PORT}`]
    const ended = await folder.run('serve', ...ports, '--workers', '1')
    expect(ended.status).not.toBe(0)
    expect(ended.stderr).toContain(`could not listen on 127.0.0.1:${ACCOUNT_PORT} (account_port)`)
    expect(await (await fetch(BASE)).text()).toBe('mine')
  } finally {
    await taken.stop(true)
  }
}, 60_000)
