// Tests sending emails by SMTP. Fails if a response waits for a mail server, if an email is lost while the server
// refuses it, if an email goes to somebody else, or if a token is anywhere but in its email.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Mailer, MailQueue } from '../../../src/account-api/mailer.ts'
import { makeFolder } from '../account-fixture.ts'
import { AccountWorld, GOOD_PASSWORD } from './account-world.ts'
import { SmtpSink } from './smtp-sink.ts'

const ADA = 'ada@example.org'

let sink: SmtpSink
let world: AccountWorld

beforeEach(async () => {
  sink = new SmtpSink()
  const mail = {
    host: '127.0.0.1',
    port: sink.port,
    secure: false,
    user: '',
    password: '',
    from: 'Quai <q@example.net>',
  }
  world = await AccountWorld.open(makeFolder(), { mail })
})

afterEach(async () => {
  sink.stop() // stopped first: closing the world would wait for the mail server
  await world.close()
})

test('an email goes only to its address, as plain text, with an unbroken link', async () => {
  await world.browser().post('/v1/sign-up', { email: ADA, password: GOOD_PASSWORD })
  await until(() => sink.mails.length === 1)
  const [{ envelope, data }] = sink.mails
  expect(envelope).toEqual(['q@example.net', ADA])
  expect(data).toContain('From: Quai <q@example.net>\n')
  expect(data).toContain(`To: ${ADA}\n`)
  expect(data).toContain('Subject: Confirm your email address\n')
  expect(data).toContain('Content-Type: text/plain; charset=utf-8\n')
  const token = /#\/verify\?token=([\w-]{43})\s/.exec(decodeText(data))?.[1]
  expect((await world.browser().post('/v1/verifications', { token })).status).toBe(200)
  expect(world.mails).toEqual([]) // emails that are sent are not printed
})

test('no response waits for a silent mail server', async () => {
  sink.behavior = 'silent'
  const started = performance.now()
  const answer = await world.browser().post('/v1/sign-up', { email: ADA, password: GOOD_PASSWORD })
  expect(answer.status).toBe(202)
  await until(() => sink.connections === 1)
  expect(performance.now() - started).toBeLessThan(5_000) // the service gives up on a silent mail server after 10 s
  expect((await world.browser().get('/v1/health')).status).toBe(200)
})

test('a rejected email is retried, and the operator sees why, without its token', async () => {
  sink.behavior = 'refuses'
  await world.browser().post('/v1/sign-up', { email: ADA, password: GOOD_PASSWORD })
  await until(() => world.problems.length === 1)
  expect(world.problems[0]).toContain(`an email to ${ADA} ("Confirm your email address")`)
  expect(world.problems[0]).toContain('451 not now')
  expect(world.problems[0]).not.toContain('token=')
  sink.behavior = 'takes'
  await until(() => sink.mails.length === 1)
})

test('emails beyond those being sent are logged, and do not delay the end of the process', async () => {
  const sent: string[] = []
  const problems: string[] = []
  const stuck: Mailer = {
    send: ({ to }) => {
      sent.push(to)
      return new Promise(() => {})
    },
    close: () => {},
  }
  const queue = new MailQueue(stuck, (problem) => problems.push(problem))
  for (let count = 0; count < 1_001; count++) queue.post({ to: `a${count}@example.org`, subject: 's', text: 't' })
  expect(problems).toEqual([expect.stringContaining('a1000@example.org')])
  expect(sent).toEqual([]) // the queue sends nothing until the code that posts emails has returned
  await until(() => sent.length === 1_000)
  const started = performance.now()
  await queue.close()
  expect(performance.now() - started).toBeLessThan(4_000)
})

/** The text of an email, decoded if necessary. */
function decodeText(data: string): string {
  const [head = '', ...rest] = data.split('\n\n')
  const text = rest.join('\n\n')
  if (!/quoted-printable/i.test(head)) return text
  return text.replace(/=\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 4_000) throw new Error('timed out')
    await Bun.sleep(1)
  }
}
