// Counts the updates in real captures that match a trip, and lists why the other updates do not match. Runs in process.
// Run it with `QUAI_FEEDS=folder bun tests/real-matches.ts`. Other settings: QUAI_ONLY.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FeedState } from '../indexes/live/feed-state.ts'
import { type LiveFeed, LiveTripReader } from '../indexes/live/live-trips.ts'
import { tripRef } from '../indexes/timetable/trips.ts'
import { decodeMessage } from '../loaders/gtfs-rt/decode-message.ts'
import { keepAssigned } from './oracles/assigned-trips.ts'
import { readBytes } from './oracles/realtime-bytes.ts'
import { openTimetable } from './planned-journeys.ts'
import { moveFeed } from './real-live-journeys.ts'
import { CAPTURES, type Capture, capturePaths } from './real-realtime.ts'

/** The number of updates, and how many of them matched a trip. */
export interface Share {
  readonly total: number
  readonly matched: number
}

/** The matches of the messages at one time of a capture. */
export interface MomentMatches {
  readonly name: string
  readonly all: Share
  /** Counts of trips that have a train, which only the New York subway reports. */
  readonly assigned: Share
  /**
   * Reason → number of cases: updates that matched no trip, and other parts of the messages that were ignored or
   * repaired.
   */
  readonly reasons: Readonly<Record<string, number>>
  /**
   * The service days on which matched trips run, but which are not the date of any update in the messages. Always empty
   * if some update has no date.
   */
  readonly otherDays: readonly string[]
}

/** Reads all messages of a capture and matches their updates. */
export async function matchCapture(folder: string, capture: Capture): Promise<MomentMatches[]> {
  const paths = capturePaths(folder, capture)
  const moved = mkdtempSync(join(tmpdir(), 'quai-matches-'))
  try {
    const moments = await Promise.all(
      capture.moments.map(async (files) => {
        const read = Object.values(files).map((file) => Bun.file(join(paths.captures, file)).bytes())
        return { name: `${capture.name} ${Object.values(files)[0]}`, messages: await Promise.all(read) }
      }),
    )
    const secondsOf = (messages: readonly Uint8Array[]) => Math.max(...messages.map((each) => readBytes(each).seconds))
    const first = secondsOf(moments[0]?.messages ?? [])
    const timetable = await openTimetable(capture.isSequence ? await moveFeed(paths.gtfs, moved, first) : paths.gtfs)
    return moments.map(({ name, messages }) => {
      const nowSeconds = secondsOf(messages)
      const read = (bytes: readonly Uint8Array[]) => new LiveTripReader(timetable).read(bytes.map(stateOf), nowSeconds)
      const { trips, matches } = read(messages)
      const dates = messages.flatMap((each) => readBytes(each).trips.map(({ trip }) => trip.startDate))
      const days = trips.flatMap(({ instance, isCarried }) =>
        instance === undefined || isCarried ? [] : tripRef(timetable, instance).slice(0, 'yyyymmdd'.length),
      )
      return {
        name,
        all: shareOf(matches),
        assigned: shareOf(read(messages.map(keepAssigned)).matches),
        reasons: addUp(matches.map(({ reasons }) => reasons)),
        otherDays: dates.includes('') ? [] : [...new Set(days)].filter((day) => !dates.includes(day)),
      }
    })
  } finally {
    rmSync(moved, { recursive: true, force: true })
  }
}

function stateOf(bytes: Uint8Array): LiveFeed {
  const message = decodeMessage(bytes)
  const state = new FeedState()
  state.apply(message, message.timestampSeconds ?? 0)
  if (state.current === undefined) throw new Error('a message with a header has no content')
  return state.current
}

function shareOf(matches: readonly Share[]): Share {
  const sum = (of: (share: Share) => number) => matches.reduce((before, each) => before + of(each), 0)
  return { total: sum(({ total }) => total), matched: sum(({ matched }) => matched) }
}

function addUp(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {}
  for (const [reason, times] of counts.flatMap((each) => Object.entries(each))) sum[reason] = (sum[reason] ?? 0) + times
  return sum
}

/** The result as one line of text. */
export function describeMatches({ name, all, assigned, reasons, otherDays }: MomentMatches): string {
  const ofAssigned = assigned.total === 0 ? '' : `, ${assigned.matched} of ${assigned.total} assigned`
  const why = Object.entries(reasons).map(([reason, count]) => `${count} ${reason}`)
  const days = otherDays.length === 0 ? '' : `; on other days: ${otherDays.join(', ')}`
  return `${name}: ${all.matched} of ${all.total} matched${ofAssigned}; ${why.join(', ') || 'nothing else'}${days}`
}

if (import.meta.main) {
  const folder = process.env['QUAI_FEEDS']
  if (folder === undefined) throw new Error('QUAI_FEEDS must name a folder of GTFS zips and captures')
  for (const capture of CAPTURES.filter(({ name }) => name.includes(process.env['QUAI_ONLY'] ?? '')))
    for (const moment of await matchCapture(folder, capture)) console.log(describeMatches(moment))
}
