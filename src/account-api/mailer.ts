// Sends emails by SMTP if configured; otherwise prints them for the operator. Emails are sent only after the response,
// so that the response time doesn't reveal whether there is an email.
import type { Transporter } from 'nodemailer'
import type { Config } from '../config/config.ts'
import type { Mail } from './mail-texts.ts'

/** Delivers an email; throws if it is rejected. */
export interface Mailer {
  send(mail: Mail): Promise<void>
  close(): void
}

/** Delays before retries. If the last retry fails, the email is dropped. */
const RETRY_MILLIS = [1_000, 10_000, 60_000]
/** Maximum number of pending emails, including emails that wait for a retry. */
const UNDER_WAY_LIMIT = 1_000
/** How long to wait for a mail server that does not respond. */
const SMTP_MILLIS = 10_000
/** How long the shutdown waits for pending emails. */
const CLOSE_MILLIS = 1_000

/** Sends emails in the background. */
export class MailQueue {
  private readonly mailer: Mailer
  private readonly onProblem: (message: string) => void
  private readonly underWay = new Set<Promise<void>>()
  private readonly closing = new AbortController()

  /** @param onProblem called for each failed attempt, and for each dropped email */
  constructor(mailer: Mailer, onProblem: (message: string) => void) {
    this.mailer = mailer
    this.onProblem = onProblem
  }

  /** Sends an email after the current response has been sent. Retries a few times on failure. */
  post(mail: Mail): void {
    if (this.underWay.size >= UNDER_WAY_LIMIT) {
      this.onProblem(
        `an email to ${mail.to} ("${mail.subject}") was not sent: ${UNDER_WAY_LIMIT} emails, the maximum, are already being sent`,
      )
      return
    }
    const done = this.deliver(mail).finally(() => this.underWay.delete(done))
    this.underWay.add(done)
  }

  /** Waits briefly for pending emails. */
  async close(): Promise<void> {
    this.closing.abort()
    await Promise.race([Promise.all(this.underWay), Bun.sleep(CLOSE_MILLIS)])
    this.mailer.close()
  }

  private async deliver(mail: Mail): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0)) // a response that is ready is sent before the next timer runs
    for (const pause of [...RETRY_MILLIS, undefined]) {
      try {
        return await this.mailer.send(mail)
      } catch (error) {
        const words = `an email to ${mail.to} ("${mail.subject}") was not sent: ${error instanceof Error ? error.message : error}`
        if (pause === undefined || this.closing.signal.aborted) return this.onProblem(`${words}; giving up`)
        this.onProblem(`${words}; retrying in ${pause / 1_000} s`)
        await this.pause(pause)
      }
    }
  }

  private pause(millis: number): Promise<void> {
    const { signal } = this.closing
    return new Promise((resolve) => {
      const resume = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', resume)
        resolve()
      }
      const timer = setTimeout(resume, millis)
      signal.addEventListener('abort', resume)
    })
  }
}

/** The configured mailer. */
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
    // Given as an object, the address is used as is and never parsed as a list.
    await transport.sendMail({ from: this.settings.from, to: { name: '', address: to }, subject, text })
  }

  close(): void {
    void this.transport?.then((transport) => transport.close())
  }
}

/** A connection to a mail server. The library is loaded on the first call, so that it doesn't delay startup. */
export async function openTransport({ host, port, secure, user, password }: MailSettings): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host,
    port,
    secure,
    // Send a password over TLS only.
    ...(user === '' ? {} : { auth: { user, pass: password }, requireTLS: !secure }),
    connectionTimeout: SMTP_MILLIS,
    greetingTimeout: SMTP_MILLIS,
    socketTimeout: SMTP_MILLIS,
    // Never read email content from a file or URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Prints emails if no mail server is configured, for local development. */
class PrintingMailer implements Mailer {
  private readonly print: (text: string) => void

  constructor(print: (text: string) => void) {
    this.print = print
  }

  async send({ to, subject, text }: Mail): Promise<void> {
    this.print(`--- email to ${to}: ${subject}\n${text}---\n`)
  }

  close(): void {}
}
