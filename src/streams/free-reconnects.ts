// Free reconnects. After a shutdown has ended a stream, the first reconnect to the stream is free for a while, even if
// it reaches the next process. The list of ended streams is therefore passed to the next process, in a file in the data
// directory. The data threads share a record of the free reconnects that have been used.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StreamName } from '../access/fleet-talk.ts'
import { isErrno } from '../system/errno.ts'

/** How long a reconnect is free after a shutdown. */
export const FREE_RECONNECT_MILLIS = 30_000

/** A stream that was ended by a shutdown. */
export interface EndedStream extends StreamName {
  /** Time until which the stream's reconnect is free, in Unix milliseconds of real time. */
  readonly untilMillis: number
}

/** The free reconnects, as data threads receive them when they start. */
export interface ReconnectsStart {
  readonly ended: readonly EndedStream[]
  /** One 32-bit integer per stream: 1 if the stream's reconnect has been used. */
  readonly used: SharedArrayBuffer
}

/** Start data without free reconnects. */
export function noReconnects(): ReconnectsStart {
  return reconnectsOf([])
}

/** The free reconnects for ended streams; none has been used yet. */
export function reconnectsOf(ended: readonly EndedStream[]): ReconnectsStart {
  return { ended, used: new SharedArrayBuffer(4 * ended.length) }
}

/** The free reconnects. Each data thread has an instance; all instances use the same shared memory. */
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

  /** Uses a free reconnect to a key's stream. Returns false if there is none. @param nowMillis real time */
  claim(stream: StreamName, nowMillis: number): boolean {
    const owed = this.byStream.get(streamOf(stream)) ?? []
    return owed.some(
      (at) => nowMillis < (this.ended[at]?.untilMillis ?? 0) && Atomics.compareExchange(this.used, at, 0, 1) === 0,
    )
  }

  /** The streams whose free reconnect has not been used and has not expired. */
  listUnused(nowMillis: number): EndedStream[] {
    return this.ended.filter(({ untilMillis }, at) => nowMillis < untilMillis && Atomics.load(this.used, at) === 0)
  }
}

function streamOf({ keyId, name }: StreamName): string {
  return `${keyId} ${name}`
}

function pathIn(dataDir: string): string {
  return join(dataDir, 'ended-streams.json')
}

/**
 * Saves the list of ended streams for the next process.
 * @param onProblem called if the list cannot be saved, for example because the disk is full
 */
export function saveEndedStreams(
  dataDir: string,
  ended: readonly EndedStream[],
  onProblem: (message: string) => void,
): void {
  if (ended.length === 0) return
  const path = pathIn(dataDir)
  try {
    writeFileSync(`${path}.new`, JSON.stringify(ended), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    onProblem(
      `${path} cannot be written: ${error.message}; streams that reconnect after the next start will be charged`,
    )
  }
}

/**
 * Reads the list of streams that the previous process ended, and removes the file. Returns an empty list if the file is
 * missing or unreadable.
 */
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
    if (error instanceof SyntaxError) return [] // an incomplete file must not prevent the start
    throw error
  }
}

function isEndedStream(value: unknown): value is EndedStream {
  if (typeof value !== 'object' || value === null) return false
  const { keyId, name, untilMillis } = value as Partial<Record<keyof EndedStream, unknown>>
  return typeof keyId === 'string' && typeof name === 'string' && typeof untilMillis === 'number'
}
