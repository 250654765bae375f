// An S3-compatible store for one test: s3rver in this process, behind a proxy that can delay responses, damage downloads
// or answer every request with 503.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SnapshotStoreConfig } from '../../src/config/config.ts'

/**
 * How the store fails. `away` answers every request with 503, `corrupt` damages downloads, and `slow` delays responses.
 */
export type BucketFault = 'away' | 'corrupt' | 'slow'

const BUCKET = 'quai'
const KEY = 'S3RVER'

interface RunningS3rver {
  run(): Promise<{ readonly port: number }>
  close(): Promise<void>
}

/** A store with one bucket. */
export class ObjectBucket {
  fault: BucketFault | undefined
  /** The delay of each response while `fault` is `slow`. */
  slowMillis = 10_000
  /** Method and path of each received request. */
  readonly requests: string[] = []
  private readonly folder = mkdtempSync(join(tmpdir(), 'quai-s3-'))
  private readonly door: ReturnType<typeof Bun.serve>
  private server: RunningS3rver | undefined
  private port = 0

  private constructor() {
    this.door = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 120, fetch: (request) => this.pass(request) })
  }

  static async start(): Promise<ObjectBucket> {
    const bucket = new ObjectBucket()
    const { default: S3rver } = await import('s3rver')
    const server: RunningS3rver = new S3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory: bucket.folder,
      configureBuckets: [{ name: BUCKET, configs: [] }],
    })
    bucket.server = server
    bucket.port = (await server.run()).port
    return bucket
  }

  get config(): SnapshotStoreConfig {
    return {
      endpoint: `http://127.0.0.1:${this.door.port}`,
      bucket: BUCKET,
      prefix: 'test/',
      region: 'us-east-1',
      accessKey: KEY,
      secretKey: KEY,
      hasVirtualHosts: false,
    }
  }

  /** The table in the service's configuration file that makes the service use this store. */
  get table(): string {
    const { endpoint, bucket, accessKey, secretKey } = this.config
    return `[cluster.snapshots]
endpoint = "${endpoint}"
bucket = "${bucket}"
access_key = "${accessKey}"
secret_key = "${secretKey}"
`
  }

  async stop(): Promise<void> {
    await this.door.stop(true)
    await this.server?.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  private async pass(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    this.requests.push(`${request.method} ${pathname}`)
    const { fault } = this
    if (fault === 'away') return new Response('', { status: 503 })
    if (fault === 'slow') await Bun.sleep(this.slowMillis)
    const headers = new Headers(request.headers)
    const body = request.method === 'PUT' ? await request.arrayBuffer() : null
    const answer = await fetch(`http://127.0.0.1:${this.port}${pathname}${search}`, {
      method: request.method,
      headers,
      body,
    })
    if (fault !== 'corrupt' || request.method !== 'GET') return answer
    const bytes = new Uint8Array(await answer.arrayBuffer())
    bytes[bytes.length >> 1] ^= 1
    return new Response(bytes, { status: answer.status })
  }
}
