// Objects in an S3-compatible store. Bun's client signs the requests. This file adds deadlines, retries and content
// checks. Files are compressed, decompressed and checked piece by piece, so they can be of any size.
import { createReadStream, createWriteStream, renameSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { S3Client } from 'bun'
import type { SnapshotStoreConfig } from '../config/config.ts'
import { syncPath } from '../system/whole-file.ts'

/**
 * A download is aborted if no bytes arrive for this long. Any other request is aborted after this time. For an upload,
 * the time that LEAST_BYTES_PER_MILLI allows is added.
 */
const DEADLINE_MILLIS = 60_000
/** The lowest accepted speed of an upload. An upload's time limit is its duration at this speed, plus the deadline. */
const LEAST_BYTES_PER_MILLI = 1_000
const TRIES = 5
/** Wait before the second attempt. It doubles with each further attempt. */
const WAIT_MILLIS = 250
const ABSENT = 404
const LEVEL = 3
const CHUNK_BYTES = 1 << 20

/** Thrown if an object could not be read from the store or written to it. */
export class ObjectsUnavailable extends Error {
  override readonly name = 'ObjectsUnavailable'
}

/** The time limit for each request to the store, the number of attempts, and the wait between them. */
export interface Patience {
  readonly deadlineMillis: number
  readonly tries: number
  readonly waitMillis: number
}

const PATIENT: Patience = { deadlineMillis: DEADLINE_MILLIS, tries: TRIES, waitMillis: WAIT_MILLIS }

/** An object's name, and the SHA-256 of its uncompressed bytes. */
export interface ObjectName {
  readonly name: string
  readonly hash: string
}

/** The objects in one bucket of the store. */
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

  /** Fetches an object, verifies its hash, and writes its content to a file. */
  async get({ name, hash }: ObjectName, path: string): Promise<void> {
    const aside = `${path}.${process.pid}.part`
    await this.insist(`get ${name}`, async () => {
      try {
        if ((await this.receive(name, aside)) !== hash)
          throw new Error('the content of the object does not match the hash in its name')
        syncPath(aside)
        renameSync(aside, path)
      } finally {
        rmSync(aside, { force: true })
      }
    })
  }

  /** Compresses a file and stores it as an object. */
  async put(name: string, path: string): Promise<void> {
    const packed = `${path}.packed.${process.pid}.part`
    try {
      const zstd = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: LEVEL } })
      await pipeline(createReadStream(path, { highWaterMark: CHUNK_BYTES }), zstd, createWriteStream(packed))
      await this.insist(`put ${name}`, async () => {
        const body = Bun.file(packed)
        const signal = AbortSignal.timeout(this.patience.deadlineMillis + body.size / LEAST_BYTES_PER_MILLI)
        await this.send('PUT', name, { body, signal })
      })
    } finally {
      rmSync(packed, { force: true })
    }
  }

  async remove(name: string): Promise<void> {
    const signal = AbortSignal.timeout(this.patience.deadlineMillis)
    await this.insist(`delete ${name}`, async () => void (await this.send('DELETE', name, { signal })))
  }

  /** Decompresses an object into a file. Returns the hash of the decompressed bytes. */
  private async receive(name: string, aside: string): Promise<string> {
    const silence = new Silence(this.patience.deadlineMillis)
    try {
      const { body } = await this.send('GET', name, { signal: silence.signal })
      if (body === null) throw new Error('the store responded without a body')
      const hasher = new Bun.CryptoHasher('sha256')
      const hashed = async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          silence.broken()
          hasher.update(chunk)
          yield chunk
        }
      }
      await pipeline(Readable.fromWeb(body), createZstdDecompress(), hashed, createWriteStream(aside))
      return hasher.digest('hex')
    } finally {
      silence.end()
    }
  }

  private async send(
    method: 'GET' | 'PUT' | 'DELETE',
    name: string,
    how: { readonly signal: AbortSignal; readonly body?: Blob },
  ): Promise<Response> {
    const expiresIn = Math.ceil(this.patience.deadlineMillis / 1_000) + 60
    const url = this.client.presign(this.config.prefix + name, { method, expiresIn })
    const answer = await fetch(url, { method, redirect: 'error', ...how })
    const isGone = method === 'DELETE' && answer.status === ABSENT
    if (answer.ok || isGone) return answer
    await answer.body?.cancel()
    throw new Error(`the store responded with status ${answer.status}`)
  }

  /** Runs a step, and repeats it if it fails. Throws ObjectsUnavailable after the last attempt. */
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

/** Aborts a transfer if no bytes arrive for too long. */
class Silence {
  private readonly controller = new AbortController()
  private timer: ReturnType<typeof setTimeout> | undefined
  private readonly millis: number

  constructor(millis: number) {
    this.millis = millis
    this.broken()
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  /** Restarts the time limit. To be called whenever bytes have arrived. */
  broken(): void {
    clearTimeout(this.timer)
    const error = new Error(`nothing arrived for ${this.millis / 1_000} s`)
    this.timer = setTimeout(() => this.controller.abort(error), this.millis)
  }

  end(): void {
    clearTimeout(this.timer)
  }
}
