// Objects in an S3-compatible store: Bun's client signs the requests; deadlines, tries and the check of content are ours.
import { S3Client } from 'bun'
import type { SnapshotStoreConfig } from '../config/config.ts'

/** An object may take this long. */
const DEADLINE_MILLIS = 60_000
const TRIES = 5
/** Wait before the second try; doubles with each. */
const WAIT_MILLIS = 250
const ABSENT = 404

/** The store cannot give or take an object. */
export class ObjectsUnavailable extends Error {
  override readonly name = 'ObjectsUnavailable'
}

/** How patient a store is. */
export interface Patience {
  readonly deadlineMillis: number
  readonly tries: number
  readonly waitMillis: number
}

const PATIENT: Patience = { deadlineMillis: DEADLINE_MILLIS, tries: TRIES, waitMillis: WAIT_MILLIS }

/** A bucket. */
export class ObjectStore {
  private readonly client: S3Client
  private readonly config: SnapshotStoreConfig
  private readonly patience: Patience

  constructor(config: SnapshotStoreConfig, patience = PATIENT) {
    this.config = config
    this.patience = patience
    this.client = new S3Client({
      endpoint: config.endpoint,
      bucket: config.bucket,
      region: config.region,
      accessKeyId: config.accessKey,
      secretAccessKey: config.secretKey,
      virtualHostedStyle: config.hasVirtualHosts,
    })
  }

  /** The content of an object. @param hash of its unpacked bytes; other bytes are no answer */
  async get(name: string, hash: string): Promise<Uint8Array> {
    return await this.insist(`get ${name}`, async () => {
      const packed = await (await this.send('GET', name)).arrayBuffer()
      const bytes = await Bun.zstdDecompress(new Uint8Array(packed))
      if ((await hashOf(bytes)) !== hash) throw new Error('its content is not that of its name')
      return bytes
    })
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const packed = new Uint8Array(await Bun.zstdCompress(bytes, { level: 3 }))
    await this.insist(`put ${name}`, async () => void (await this.send('PUT', name, packed)))
  }

  async remove(name: string): Promise<void> {
    await this.insist(`delete ${name}`, async () => void (await this.send('DELETE', name)))
  }

  private async send(
    method: 'GET' | 'PUT' | 'DELETE',
    name: string,
    body?: Uint8Array<ArrayBuffer>,
  ): Promise<Response> {
    const { deadlineMillis } = this.patience
    const expiresIn = Math.ceil(deadlineMillis / 1_000) + 60
    const url = this.client.presign(this.config.prefix + name, { method, expiresIn })
    const signal = AbortSignal.timeout(deadlineMillis)
    const answer = await fetch(url, { method, signal, redirect: 'error', ...(body === undefined ? {} : { body }) })
    const isGone = method === 'DELETE' && answer.status === ABSENT
    if (answer.ok || isGone) return answer
    await answer.body?.cancel()
    throw new Error(`the store answered with the status ${answer.status}`)
  }

  /** Tries several times. */
  private async insist<Result>(what: string, step: () => Promise<Result>): Promise<Result> {
    const { tries, waitMillis } = this.patience
    for (let tried = 1; ; tried++) {
      try {
        return await step()
      } catch (error) {
        if (!(error instanceof Error)) throw error
        if (tried >= tries) throw new ObjectsUnavailable(`cannot ${what} at ${this.config.endpoint}: ${error.message}`)
      }
      await Bun.sleep(waitMillis * 2 ** (tried - 1))
    }
  }
}

/** SHA-256 in hex, without keeping the thread for long. */
export async function hashOf(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))).toString('hex')
}
