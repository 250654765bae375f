// Streams that a shutdown ended: the first reconnect of each is free for a while, in the process that follows too. The
// list passes through a file of the data directory; which of it is used up is shared by the data threads.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from '../system/errno.ts'

/** How long a reconnect is free after a shutdown. */
export const FREE_RECONNECT_MILLIS = 30_000

/** A stream that was ended by a shutdown. */
export interface EndedStream {
  readonly keyId: string
  /** Names what it sent, and how often. */
  readonly name: string
  /** True time at which its reconnect is no longer free. */
  readonly untilMillis: number
}

/** What data threads begin with. */
export interface ReconnectsStart {
  readonly ended: readonly EndedStream[]
  /** For each of them one 32-bit number: 1 where it is used up. */
  readonly used: SharedArrayBuffer
}

/** No stream was ended. */
export function noReconnects(): ReconnectsStart {
  return reconnectsOf([])
}

/** Streams that were ended, none of them used up. */
export function reconnectsOf(ended: readonly EndedStream[]): ReconnectsStart {
  return { ended, used: new SharedArrayBuffer(4 * ended.length) }
}

/** Who may reconnect for free. Made on each thread over the same memory. */
export class FreeReconnects {
  private readonly ended: readonly EndedStream[]
  private readonly used: Int32Array
  private readonly byStream = new Map<string, number[]>()

  constructor({ ended, used }: ReconnectsStart) {
    this.ended = ended
    this.used = new Int32Array(used)
    for (const [at, each] of ended.entries()) {
      this.byStream.getOrInsertComputed(streamOf(each), () => []).push(at)
    }
  }

  /** Uses one up, where this key has one for this stream. @param nowMillis true time */
  claim(stream: { readonly keyId: string; readonly name: string }, nowMillis: number): boolean {
    const owed = this.byStream.get(streamOf(stream)) ?? []
    return owed.some(
      (at) => nowMillis < (this.ended[at]?.untilMillis ?? 0) && Atomics.compareExchange(this.used, at, 0, 1) === 0,
    )
  }

  /** Those that nobody has used yet. */
  listUnused(nowMillis: number): EndedStream[] {
    return this.ended.filter(({ untilMillis }, at) => nowMillis < untilMillis && Atomics.load(this.used, at) === 0)
  }
}

function streamOf({ keyId, name }: { readonly keyId: string; readonly name: string }): string {
  return `${keyId} ${name}`
}

function pathIn(dataDir: string): string {
  return join(dataDir, 'ended-streams.json')
}

/** Leaves the list for the next process. */
export function saveEndedStreams(dataDir: string, ended: readonly EndedStream[]): void {
  if (ended.length === 0) return
  const path = pathIn(dataDir)
  writeFileSync(`${path}.new`, JSON.stringify(ended), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** Takes the list that the last process left; empty where it left none, or none that can be read. */
export function takeEndedStreams(dataDir: string, nowMillis: number): EndedStream[] {
  const path = pathIn(dataDir)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
  rmSync(path)
  const latest = nowMillis + FREE_RECONNECT_MILLIS
  return parseList(text).filter(({ untilMillis }) => untilMillis > nowMillis && untilMillis <= latest)
}

function parseList(text: string): EndedStream[] {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.filter(isEndedStream) : []
  } catch (error) {
    if (error instanceof SyntaxError) return [] // a torn file costs some clients a unit, and keeps nobody from starting
    throw error
  }
}

function isEndedStream(value: unknown): value is EndedStream {
  if (typeof value !== 'object' || value === null) return false
  const { keyId, name, untilMillis } = value as Partial<Record<keyof EndedStream, unknown>>
  return typeof keyId === 'string' && typeof name === 'string' && typeof untilMillis === 'number'
}
