// The account API for tests in this process, with a real store, a real port, a clock that the test sets, and emails
// that are printed instead of sent. Also simulates a browser, which stores cookies and sends a browser's headers.
import { expect } from 'bun:test'
import { type AccountListener, openAccountListener } from '../../../src/account-api/account-listener.ts'
import type { PasswordCost } from '../../../src/account-api/password-hasher.ts'
import type { AccountsService } from '../../../src/accounts/accounts-service.ts'
import { openAccounts } from '../../../src/accounts/open-accounts.ts'
import type { Config } from '../../../src/config/config.ts'
import { makeConfig } from '../account-config.ts'
import { HandClock } from '../account-fixture.ts'
import { undocumented } from './documented-answers.ts'

/** A valid password. */
export const GOOD_PASSWORD = 'vierzig rote Regenschirme'

/** Password hashing at about a hundredth of the usual cost. Only tests of the cost itself use the usual one. */
const CHEAP: PasswordCost = { memoryCost: 256, timeCost: 1 }

/** Options for opening a world. Each has a default. */
export interface WorldOptions {
  /** Settings of the configuration, by name. */
  readonly flags?: Record<string, unknown>
  readonly clock?: HandClock
  readonly mail?: NonNullable<Config['mail']>
  /** Whether passwords are hashed at the usual cost. */
  readonly isCostly?: boolean
}

/** An email as it was printed. */
export interface PrintedMail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** A response that has been read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; an empty object if it is not JSON. */
  readonly body: Record<string, unknown>
}

/** An account port whose data is in a folder. */
export class AccountWorld {
  readonly clock: HandClock
  readonly accounts: AccountsService
  readonly listener: AccountListener
  readonly mails: PrintedMail[] = []
  readonly problems: string[] = []
  /** The data directory. */
  readonly dataDir: string

  private constructor(accounts: AccountsService, config: Config, options: { clock: HandClock; isCostly: boolean }) {
    const { clock, isCostly } = options
    this.accounts = accounts
    this.clock = clock
    this.dataDir = config.dataDir
    this.listener = openAccountListener(config, accounts, {
      print: (text) => this.mails.push(parseMail(text)),
      onProblem: (problem) => this.problems.push(problem),
      clock,
      ...(isCostly ? {} : { passwordCost: CHEAP }),
    })
  }

  /** Opens the account port on a data directory. */
  static async open(folder: string, options: WorldOptions = {}): Promise<AccountWorld> {
    const { flags = {}, clock = new HandClock(), mail, isCostly = false } = options
    const config = { ...makeConfig(folder, { account_port: 0, ...flags }), mail }
    const accounts = await openAccounts(config, { onProblem: () => {}, clock, steady: () => clock.millis })
    return new AccountWorld(accounts, config, { clock, isCostly })
  }

  get base(): string {
    return `http://127.0.0.1:${this.listener.port}`
  }

  /** A new browser without cookies. */
  browser(): Browser {
    return new Browser(this)
  }

  /** Waits until `count` emails have been printed. */
  async untilMails(count: number): Promise<void> {
    for (let tries = 0; this.mails.length < count; tries++) {
      if (tries > 2_000) throw new Error(`${this.mails.length} emails instead of ${count}`)
      await Bun.sleep(1)
    }
  }

  /** Signs up, and waits for the email. */
  async signUp(email: string, password = GOOD_PASSWORD): Promise<void> {
    const before = this.mails.length
    expect((await this.browser().post('/v1/sign-up', { email, password })).status).toBe(202)
    await this.untilMails(before + 1)
  }

  /** The token from the link in the last email. */
  lastToken(page: 'verify' | 'reset' | 'new-address'): string {
    const token = new RegExp(`#/${page}\\?token=([\\w-]+)`).exec(this.mails.at(-1)?.text ?? '')?.[1]
    if (token === undefined) throw new Error(`the last email has no link to #/${page}`)
    return token
  }

  /** Signs up, verifies the address, and returns a browser that is logged in. */
  async member(email: string, password = GOOD_PASSWORD): Promise<Browser> {
    const browser = this.browser()
    await this.signUp(email, password)
    expect((await browser.post('/v1/verifications', { token: this.lastToken('verify') })).status).toBe(200)
    return browser
  }

  async close(): Promise<void> {
    await this.listener.close()
    await this.accounts.close()
  }
}

/** Request headers, which replace or add to a browser's usual headers. A header whose value is undefined is omitted. */
export type SentHeaders = Readonly<Record<string, string | undefined>>

/** A browser. It stores its cookies and the session's CSRF token, and sends them. */
export class Browser {
  private readonly world: AccountWorld
  /** The session cookie. */
  cookie: string | undefined
  /** The cookie by which the account recognizes the browser. */
  device: string | undefined
  csrf: string | undefined

  constructor(world: AccountWorld) {
    this.world = world
  }

  get(path: string, headers: SentHeaders = {}): Promise<Answer> {
    return this.send('GET', path, undefined, headers)
  }

  post(path: string, body: unknown, headers: SentHeaders = {}): Promise<Answer> {
    return this.send('POST', path, body, headers)
  }

  put(path: string, body: unknown, headers: SentHeaders = {}): Promise<Answer> {
    return this.send('PUT', path, body, headers)
  }

  delete(path: string, headers: SentHeaders = {}): Promise<Answer> {
    return this.send('DELETE', path, undefined, headers)
  }

  /** The session token in the cookie. */
  get token(): string {
    return this.cookie?.split('=')[1] ?? ''
  }

  /** Sends a request as a console page does. A header whose value is undefined is omitted. */
  async send(method: string, path: string, body?: unknown, more: SentHeaders = {}): Promise<Answer> {
    const sent: SentHeaders = {
      'content-type': body === undefined ? undefined : 'application/json',
      'sec-fetch-site': 'same-origin',
      cookie: [this.cookie, this.device].filter((one) => one !== undefined).join('; ') || undefined,
      'x-csrf-token': method === 'GET' ? undefined : this.csrf,
      ...more,
    }
    const headers = new Headers()
    for (const [name, value] of Object.entries(sent)) if (value !== undefined) headers.set(name, value)
    const response = await fetch(this.world.base + path, {
      method,
      headers,
      redirect: 'manual',
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    })
    const answer = await readAnswer(response)
    expect(undocumented({ method, path, answer })).toEqual([])
    this.keep(answer)
    return answer
  }

  private keep({ headers, body }: Answer): void {
    for (const set of headers.getSetCookie()) {
      const [pair = ''] = set.split(';')
      if (/^(?:__Host-)?quai_device=/.test(pair)) {
        this.device = pair
        continue
      }
      this.cookie = pair.endsWith('=') ? undefined : pair
      this.csrf = headers.get('x-csrf-token') ?? undefined
    }
    if (typeof body['csrf_token'] === 'string') this.csrf = body['csrf_token']
  }
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : {},
  }
}

function parseMail(text: string): PrintedMail {
  const [, to, subject, body] = /^--- email to (\S+): (.+)\n([\s\S]*)---\n$/.exec(text) ?? []
  if (to === undefined || subject === undefined || body === undefined) throw new Error(`not an email: ${text}`)
  return { to, subject, text: body }
}
