// A mail server for tests. It accepts emails, refuses them or stays silent, and records what it receives.
import type { TCPSocketListener } from 'bun'

/** How the mail server behaves. */
export type SinkBehavior = 'takes' | 'refuses' | 'silent'

/** An email as it was received. */
export interface ReceivedMail {
  /** The envelope's addresses, the sender's first. */
  readonly envelope: readonly string[]
  /** Headers and text. */
  readonly data: string
}

interface Conversation {
  unread: string
  envelope: string[]
  data: string | undefined
}

/** A mail server on a free loopback port. */
export class SmtpSink {
  behavior: SinkBehavior = 'takes'
  connections = 0
  readonly mails: ReceivedMail[] = []
  private readonly server: TCPSocketListener<Conversation>

  constructor() {
    this.server = Bun.listen<Conversation>({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open: (socket) => {
          this.connections++
          socket.data = { unread: '', envelope: [], data: undefined }
          if (this.behavior !== 'silent') socket.write('220 sink ready\r\n')
        },
        data: (socket, bytes) => {
          const talk = socket.data
          const lines = (talk.unread + bytes.toString()).split('\r\n')
          talk.unread = lines.pop() ?? ''
          for (const line of lines) {
            const reply = this.hear(talk, line)
            if (reply !== undefined) socket.write(`${reply}\r\n`)
          }
        },
      },
    })
  }

  get port(): number {
    return this.server.port
  }

  stop(): void {
    this.server.stop(true)
  }

  private hear(talk: Conversation, line: string): string | undefined {
    if (talk.data !== undefined) {
      if (line !== '.') {
        talk.data += `${line}\n`
        return undefined
      }
      this.mails.push({ envelope: talk.envelope, data: talk.data })
      talk.data = undefined
      talk.envelope = []
      return '250 taken'
    }
    const word = line.slice(0, 4).toUpperCase()
    if (word === 'MAIL' || word === 'RCPT') {
      if (this.behavior === 'refuses') return '451 not now'
      talk.envelope.push(/<(.*)>/.exec(line)?.[1] ?? '')
    }
    if (word === 'DATA') {
      talk.data = ''
      return '354 go on'
    }
    return word === 'QUIT' ? '221 bye' : '250 fine'
  }
}
