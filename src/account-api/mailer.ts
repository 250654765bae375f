// How mails leave: by SMTP as configured, else printed where the operator reads. Always after the answer that they
// belong to, so that no answer tells whether there was one.
import type { Transporter } from 'nodemailer'
import type { Config } from '../config/config.ts'
import type { Mail } from './mail-texts.ts'

/** Takes a mail to where it goes; refuses by throwing. */
export interface Mailer {
  send(mail: Mail): Promise<void>
  close(): void
}

/** Pauses before a mail is tried again; after the last it is given up. */
const RETRY_MILLIS = [1_000, 10_000, 60_000]
/** Mails under way, those that wait for another try among them. */
const UNDER_WAY_LIMIT = 1_000
/** How long a mail server may keep quiet. */
const SMTP_MILLIS = 10_000
/** How long mails under way have at the end of the process. */
const CLOSE_MILLIS = 1_000

/** Mails in the background. */
export class MailQueue {
  private readonly mailer: Mailer
  private readonly onProblem: (message: string) => void
  private readonly underWay = new Set<Promise<void>>()
  private readonly closing = new AbortController()

  /** @param onProblem told of each mail that is given up, and of refusals meanwhile */
  constructor(mailer: Mailer, onProblem: (message: string) => void) {
    this.mailer = mailer
    this.onProblem = onProblem
  }

  /** Sends a mail once the present answer has left. Tries again, some times, where it is refused. */
  post(mail: Mail): void {
    if (this.underWay.size >= UNDER_WAY_LIMIT) {
      this.onProblem(`a mail to ${mail.to} ("${mail.subject}") is not sent: ${UNDER_WAY_LIMIT} are under way already`)
      return
    }
    const done = this.deliver(mail).finally(() => this.underWay.delete(done))
    this.underWay.add(done)
  }

  /** Waits a moment for mails under way. */
  async close(): Promise<void> {
    this.closing.abort()
    await Promise.race([Promise.all(this.underWay), Bun.sleep(CLOSE_MILLIS)])
    this.mailer.close()
  }

  private async deliver(mail: Mail): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0)) // an answer that is ready leaves before the next timer
    for (const pause of [...RETRY_MILLIS, undefined]) {
      try {
        return await this.mailer.send(mail)
      } catch (error) {
        const words = `a mail to ${mail.to} ("${mail.subject}"): ${error instanceof Error ? error.message : error}`
        if (pause === undefined || this.closing.signal.aborted) return this.onProblem(`${words}; given up`)
        this.onProblem(`${words}; tried again in ${pause / 1_000} s`)
        await this.pause(pause)
      }
    }
  }

  private pause(millis: number): Promise<void> {
    const { signal } = this.closing
    return new Promise((resolve) => {
      const goOn = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', goOn)
        resolve()
      }
      const timer = setTimeout(goOn, millis)
      signal.addEventListener('abort', goOn)
    })
  }
}

/** The mailer of a configuration. */
export function openMailer(mail: Config['mail'], print: (text: string) => void): Mailer {
  return mail === undefined ? new PrintingMailer(print) : new SmtpMailer(mail)
}

type MailSettings = NonNullable<Config['mail']>

class SmtpMailer implements Mailer {
  private readonly settings: MailSettings
  private transport: Promise<Transporter> | undefined

  constructor(settings: MailSettings) {
    this.settings = settings
  }

  async send({ to, subject, text }: Mail): Promise<void> {
    this.transport ??= openTransport(this.settings)
    const transport = await this.transport
    // As an object the address is taken as it is, and never read as a list.
    await transport.sendMail({ from: this.settings.from, to: { name: '', address: to }, subject, text })
  }

  close(): void {
    void this.transport?.then((transport) => transport.close())
  }
}

/** Loaded when the first mail is sent: no start waits for it. */
async function openTransport({ host, port, secure, user, password }: MailSettings): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host,
    port,
    secure,
    // A password goes over TLS or not at all.
    ...(user === '' ? {} : { auth: { user, pass: password }, requireTLS: !secure }),
    connectionTimeout: SMTP_MILLIS,
    greetingTimeout: SMTP_MILLIS,
    socketTimeout: SMTP_MILLIS,
    // Nothing of a mail is ever read from a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Where no mail server is configured: for a machine of one's own. */
class PrintingMailer implements Mailer {
  private readonly print: (text: string) => void

  constructor(print: (text: string) => void) {
    this.print = print
  }

  async send({ to, subject, text }: Mail): Promise<void> {
    this.print(`--- mail to ${to}: ${subject}\n${text}---\n`)
  }

  close(): void {}
}
