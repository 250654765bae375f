// A file of the web kept on this machine: asked for anew only where it has changed, written whole or not at all. What
// was fetched before stays whatever goes wrong.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { TRUE_CLOCK } from '../system/clock.ts'
import { isErrno } from '../system/errno.ts'
import { readJsonFile, removeLeftovers, writeFileWhole } from '../system/whole-file.ts'
import { DownloadFailed, describeSource } from './download-failed.ts'
import { type FetchOrder, fetchGuarded, type GuardedAnswer, readRetryAfter } from './guarded-fetch.ts'

/** What is to be fetched, and where it is kept. */
export interface DownloadOrder {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Made where it is missing. */
  readonly folder: string
  /** Name of the file in it; beside it stands `<name>.json`. */
  readonly name: string
}

/** Bounds and waits; the usual ones where left out. */
export interface DownloadBounds {
  readonly maxBytes?: number
  /** For all tries and the waits between them. */
  readonly deadlineMillis?: number
  readonly idleMillis?: number
  readonly slowest?: FetchOrder['slowest']
  readonly sleep?: (millis: number) => Promise<void>
}

/** A file as it now lies on this machine. */
export interface DownloadedSource {
  readonly path: string
  /** Whether its bytes differ from those that lay there before. */
  readonly isNew: boolean
  /** True time of the last byte, or of the word that nothing changed, in milliseconds after 1970. */
  readonly fetchedAtMillis: number
}

/** What is remembered of the last fetch. Addresses are hashed, since they may hold a secret. */
interface FetchNote {
  readonly address: string
  /** The address that answered, after redirects: only there do the two marks below mean anything. */
  readonly answeredBy: string
  readonly etag: string | null
  readonly lastModified: string | null
  readonly bytes: number
  readonly sha256: string
}

const MAX_BYTES = 1024 ** 3
const DEADLINE_MILLIS = 10 * 60_000
/** For what is large: addresses of a country, extracts of a map. */
export const LARGE_DEADLINE_MILLIS: number = 2 * 3_600_000
const IDLE_MILLIS = 30_000
/** A source that drips is given up, long before the deadline. */
const SLOWEST = { bytesPerSecond: 4_000, overMillis: 60_000 }
const TRIES = 3
/** Wait before the second try; four times as long before the third, both by up to a half more or less. */
const RETRY_MILLIS = 1_000
const LONGEST_RETRY_MILLIS = 60_000

/** A disk, quota or file size that takes no more. */
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG']
/** A mark of a version that a header takes: another makes `fetch` throw. */
const SENDABLE_MARK = /^[\x20-\x7e]+$/

/**
 * Brings a file up to date. Throws DownloadFailed where it cannot be had or does not fit; a whole file is there then all
 * the same, if one was. One download at a time in a folder.
 */
export async function downloadSource(order: DownloadOrder, bounds: DownloadBounds = {}): Promise<DownloadedSource> {
  // Bun's fetch reads files and buckets too.
  if (!/^https?:$/.test(URL.parse(order.url)?.protocol ?? '')) {
    throw new DownloadFailed('fetch_failed', `${describeSource(order.url)} is not of the web: http or https is`)
  }
  try {
    mkdirSync(order.folder, { recursive: true })
    removeLeftovers(order.folder)
    return await downloadPatiently(order, bounds)
  } catch (error) {
    if (!isErrno(error, ...FULL)) throw error
    const message = `there is no room left in ${order.folder} for what ${describeSource(order.url)} sends`
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
  const message = `${describeSource(order.url)} answered with the status ${answer.status}`
  return new DownloadFailed(`http_${answer.status}`, message, retryAfter)
}

/** Streams a body aside and renames it in. */
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
    rmSync(noteOf(path), { force: true }) // killed after the next line, the file must not stand beside another's note
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

/** The note of the last fetch, if what it speaks of is there and came from this address. */
function readUsableNote(path: string, address: string): FetchNote | undefined {
  const note: unknown = readJsonFile(noteOf(path))
  const size = statSync(path, { throwIfNoEntry: false })?.size
  return isNote(note) && note.address === address && size === note.bytes ? note : undefined
}

/** Whether a file says what a note says; one damaged or of another version does not. */
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
