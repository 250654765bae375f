// Downloads a file and stores it locally. The request is conditional, and the file is written atomically. If a download
// fails, the previous file is kept.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { TRUE_CLOCK } from '../system/clock.ts'
import { isErrno } from '../system/errno.ts'
import { readJsonFile, removeLeftovers, writeFileWhole } from '../system/whole-file.ts'
import { DownloadFailed, describeSource } from './download-failed.ts'
import { type FetchOrder, fetchGuarded, type GuardedAnswer, readRetryAfter } from './guarded-fetch.ts'

/** The URL to download, and where to store the file. */
export interface DownloadOrder {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** The folder for the file; created if missing. */
  readonly folder: string
  /** Name of the file; `<name>.json` next to it describes the last download. */
  readonly name: string
}

/** Limits and delays; absent members have defaults. */
export interface DownloadBounds {
  readonly maxBytes?: number
  /** Time limit for all attempts and the delays between them. */
  readonly deadlineMillis?: number
  readonly idleMillis?: number
  readonly slowest?: FetchOrder['slowest']
  readonly sleep?: (millis: number) => Promise<void>
}

/** A local copy of a file. */
export interface DownloadedSource {
  readonly path: string
  /** Whether the file's bytes have changed since the last download. */
  readonly isNew: boolean
  /** System time at which the last byte or the 304 response arrived, in Unix milliseconds. */
  readonly fetchedAtMillis: number
}

/** Record of the last download, in `<name>.json`. It contains hashes of URLs, because URLs may contain secrets. */
interface FetchNote {
  readonly address: string
  /** Hash of the final URL after redirects. `etag` and `lastModified` are only valid for this URL. */
  readonly answeredBy: string
  readonly etag: string | null
  readonly lastModified: string | null
  readonly bytes: number
  readonly sha256: string
}

const MAX_BYTES = 1024 ** 3
const DEADLINE_MILLIS = 10 * 60_000
/** Time limit for large files, such as national address lists and map extracts. */
export const LARGE_DEADLINE_MILLIS: number = 2 * 3_600_000
const IDLE_MILLIS = 30_000
/** If the average speed over a minute is lower than this, the download is aborted, long before the deadline. */
const SLOWEST = { bytesPerSecond: 4_000, overMillis: 60_000 }
const TRIES = 3
/**
 * Delay before the second attempt, unless the server requests another delay. The delay before the third attempt is four
 * times as long. Both delays vary randomly by up to half.
 */
const RETRY_MILLIS = 1_000
const LONGEST_RETRY_MILLIS = 60_000

/** Error codes for a full disk, an exceeded quota and an exceeded file size limit. */
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG']
/** Matches the ETag and Last-Modified values that can be sent back. Values with other characters make `fetch` throw. */
const SENDABLE_MARK = /^[\x20-\x7e]+$/

/**
 * Updates a file. Throws DownloadFailed if the file is unavailable or exceeds a limit; in that case, the previous copy
 * is kept. A folder may have only one download at a time.
 */
export async function downloadSource(order: DownloadOrder, bounds: DownloadBounds = {}): Promise<DownloadedSource> {
  // Only web URLs are allowed, because Bun's fetch also reads local files and S3 buckets.
  if (!/^https?:$/.test(URL.parse(order.url)?.protocol ?? '')) {
    throw new DownloadFailed('fetch_failed', `${describeSource(order.url)} is not an http or https URL`)
  }
  try {
    mkdirSync(order.folder, { recursive: true })
    removeLeftovers(order.folder)
    return await downloadPatiently(order, bounds)
  } catch (error) {
    if (!isErrno(error, ...FULL)) throw error
    const message = `no space left in ${order.folder} for the download from ${describeSource(order.url)}`
    throw new DownloadFailed('disk_full', message)
  }
}

async function downloadPatiently(order: DownloadOrder, bounds: DownloadBounds): Promise<DownloadedSource> {
  const sleep = bounds.sleep ?? Bun.sleep
  const endMillis = performance.now() + (bounds.deadlineMillis ?? DEADLINE_MILLIS)
  for (let tries = 1; ; tries++) {
    try {
      return await downloadOnce(order, { ...bounds, deadlineMillis: endMillis - performance.now() })
    } catch (error) {
      if (tries === TRIES || !(error instanceof DownloadFailed) || !isWorthRetrying(error)) throw error
      const backOff = RETRY_MILLIS * 4 ** (tries - 1) * (0.5 + Math.random())
      const wait = Math.min(error.retryAfterMillis ?? backOff, LONGEST_RETRY_MILLIS)
      if (performance.now() + wait >= endMillis) throw error
      await sleep(wait)
    }
  }
}

function isWorthRetrying({ reason }: DownloadFailed): boolean {
  return reason === 'fetch_failed' || reason === 'fetch_timeout' || reason === 'http_429' || /^http_5/.test(reason)
}

async function downloadOnce(
  order: DownloadOrder,
  bounds: DownloadBounds & { readonly deadlineMillis: number },
): Promise<DownloadedSource> {
  const path = join(order.folder, order.name)
  const address = hashText(order.url)
  const note = readUsableNote(path, address)
  const answer = await fetchGuarded({
    url: order.url,
    headers: order.headers ?? {},
    headersFor: (url) => (note?.answeredBy === hashText(url) ? conditionsOf(note) : {}),
    deadlineMillis: bounds.deadlineMillis,
    idleMillis: bounds.idleMillis ?? IDLE_MILLIS,
    slowest: bounds.slowest ?? SLOWEST,
    maxBytes: bounds.maxBytes ?? MAX_BYTES,
  })
  if (answer.status === 304 && note?.answeredBy === hashText(answer.url)) {
    answer.dismiss()
    return { path, isNew: false, fetchedAtMillis: TRUE_CLOCK.nowMillis() }
  }
  if (answer.status !== 200) throw refusedStatus(order, answer)
  const { sha256, bytes } = await writeBody(path, answer)
  const answeredBy = hashText(answer.url)
  const etag = answer.headers.get('etag')
  const lastModified = answer.headers.get('last-modified')
  const next: FetchNote = { address, answeredBy, etag, lastModified, bytes, sha256 }
  writeFileWhole(noteOf(path), JSON.stringify(next))
  return { path, isNew: sha256 !== note?.sha256, fetchedAtMillis: TRUE_CLOCK.nowMillis() }
}

function noteOf(path: string): string {
  return `${path}.json`
}

function refusedStatus(order: DownloadOrder, answer: GuardedAnswer): DownloadFailed {
  answer.dismiss()
  const retryAfter = readRetryAfter(answer.headers.get('retry-after'), TRUE_CLOCK.nowMillis())
  const message = `${describeSource(order.url)} responded with status ${answer.status}`
  return new DownloadFailed(`http_${answer.status}`, message, retryAfter)
}

/** Writes a body piece by piece to a temporary file, then renames the file to `path`. */
async function writeBody(path: string, answer: GuardedAnswer): Promise<{ sha256: string; bytes: number }> {
  const aside = `${path}.${process.pid}.part`
  const hasher = new Bun.CryptoHasher('sha256')
  let bytes = 0
  try {
    const file = openSync(aside, 'w', 0o644)
    try {
      for await (const chunk of answer.chunks()) {
        hasher.update(chunk)
        bytes += chunk.byteLength
        for (let at = 0; at < chunk.byteLength; ) at += writeSync(file, chunk, at)
      }
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    rmSync(noteOf(path), { force: true }) // removed first, so that the new file never has the note of the old one
    renameSync(aside, path)
  } catch (error) {
    rmSync(aside, { force: true })
    throw error
  }
  return { sha256: hasher.digest('hex'), bytes }
}

function conditionsOf({ etag, lastModified }: FetchNote): Record<string, string> {
  return {
    ...(etag !== null && SENDABLE_MARK.test(etag) ? { 'if-none-match': etag } : {}),
    ...(lastModified !== null && SENDABLE_MARK.test(lastModified) ? { 'if-modified-since': lastModified } : {}),
  }
}

/** The note of the last download; undefined if it does not describe this file and URL. */
function readUsableNote(path: string, address: string): FetchNote | undefined {
  const note: unknown = readJsonFile(noteOf(path))
  const size = statSync(path, { throwIfNoEntry: false })?.size
  return isNote(note) && note.address === address && size === note.bytes ? note : undefined
}

/** Whether a value has all members of a note. */
function isNote(value: unknown): value is FetchNote {
  if (typeof value !== 'object' || value === null) return false
  const note: Partial<Record<keyof FetchNote, unknown>> = value
  const texts = [note.address, note.answeredBy, note.sha256]
  const marks = [note.etag, note.lastModified].filter((mark) => mark !== null)
  return [...texts, ...marks].every((each) => typeof each === 'string') && typeof note.bytes === 'number'
}

function hashText(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}
