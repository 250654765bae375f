// Parses other planners' tests, which are written as text. Each line is part of a timetable, a query, or a journey in
// the expected answer. peer-network.ts runs the queries.
import type { PeerAsk, PeerCase, PeerFeed } from './peer-network.ts'

/**
 * Reads tests. The first word of a line is its kind; a line that starts with a time is a journey of the answer.
 *
 * ```
 * test finds a change                      starts a test; this is its name in the author's file
 * trip a on 20260610 block k: A 10:00, B 10:30/10:35, C 11:00 off
 * stop B 1200 S                            meters to the north, and its station; without this line, 10 km apart
 * station S 1200
 * mode a 2                                 route_type of a line; a bus without this line
 * transfer B,C,2,600                       may be followed by trips, and then by lines
 * frequency a,08:00:00,09:00:00,600,0
 * change 60                                minimum seconds for each change; 0 without this line
 * ask A 30 + B to C after 09:00 until 10:00
 * ask soonest A to C after 09:00 before 12:00
 * ask soonest A to C by 12:00 date 2026-06-11 changes 1 modes bus
 * 10:00 11:00 a > b                        one journey of the expected answer to the query above
 * pinned RULE; its author: WHAT            the author's answer to the query above, and why ours differs
 * ```
 */
export function readCases(text: string): PeerCase[] {
  const cases: DraftCase[] = []
  for (const line of text.split('\n').map((each) => each.trim())) {
    const [word = '', ...rest] = line.split(' ')
    const current = cases.at(-1)
    if (word === '') continue
    if (word === 'test') cases.push({ test: rest.join(' '), feed: { trips: {} }, asks: [] })
    else if (current === undefined) throw new Error(`a line before the first test: ${line}`)
    else readLine(current, word, rest.join(' '))
  }
  return cases
}

/** The same cases, except that trips without days run only on 2026-06-10. */
export function onOneDay(cases: readonly PeerCase[]): PeerCase[] {
  return cases.map(({ test, feed, asks }) => {
    const days = Object.keys(feed.trips).map((trip) => [trip, feed.days?.[trip] ?? '20260610'])
    return { test, feed: { ...feed, days: Object.fromEntries(days) }, asks }
  })
}

/** The tests, with live data added to their feeds. */
export function withLive(cases: readonly PeerCase[], live: NonNullable<PeerFeed['live']>): PeerCase[] {
  return cases.map(({ test, feed, asks }) => ({ test, feed: { ...feed, live }, asks }))
}

type Draft<T> = { -readonly [member in keyof T]: T[member] }
interface DraftCase {
  readonly test: string
  readonly feed: Draft<PeerFeed>
  readonly asks: Draft<PeerAsk>[]
}

function readLine({ feed, asks }: DraftCase, word: string, rest: string): void {
  const [name = '', ...more] = rest.split(' ')
  const value = more.join(' ')
  const ask = asks.at(-1)
  if (word === 'trip') readTrip(feed, rest)
  else if (word === 'stop') feed.stops = { ...feed.stops, [name]: value }
  else if (word === 'station') feed.stations = { ...feed.stations, [name]: Number(value) }
  else if (word === 'mode') feed.modes = { ...feed.modes, [name]: Number(value) }
  else if (word === 'transfer') feed.transfers = [...(feed.transfers ?? []), rest]
  else if (word === 'frequency') feed.frequencies = [...(feed.frequencies ?? []), rest]
  else if (word === 'change') feed.changeSeconds = Number(rest)
  else if (word === 'ask') asks.push(readAsk(rest))
  else if (ask === undefined) throw new Error(`a line before the test’s first query: ${word} ${rest}`)
  else if (word === 'pinned') {
    const [rule = '', author = ''] = rest.split('; its author: ')
    ask.pinned = { author, rule }
  } else ask.gives = [...ask.gives, `${word} ${rest}`]
}

function readTrip(feed: Draft<PeerFeed>, text: string): void {
  const { id, days, block, calls } = partsOf(
    text,
    /^(?<id>\S+?)(?: on (?<days>[-\d ]+?))?(?: block (?<block>\S+))?: (?<calls>.+)$/,
  )
  if (id === undefined || calls === undefined) throw new Error(`not a trip: ${text}`)
  feed.trips = { ...feed.trips, [id]: calls }
  if (days !== undefined) feed.days = { ...feed.days, [id]: days }
  if (block !== undefined) feed.blocks = { ...feed.blocks, [id]: block }
}

const ASK =
  /^(?<soonest>soonest )?(?<from>.+) to (?<to>.+?) (?<side>after|by) (?<time>\S+)(?: until (?<until>\S+))?(?: before (?<before>\S+))?(?: date (?<date>\S+))?(?: changes (?<changes>\d))?(?: modes (?<modes>.+))?$/

function readAsk(text: string): PeerAsk {
  const { soonest, from, to, side = '', time, until, before, date, changes, modes } = partsOf(text, ASK)
  if (from === undefined || to === undefined) throw new Error(`not a query: ${text}`)
  return {
    from,
    to,
    [side]: time,
    ...(until === undefined ? {} : { until }),
    ...(before === undefined ? {} : { before }),
    ...(soonest === undefined ? {} : { isOneMoment: true }),
    ...(date === undefined ? {} : { date }),
    ...(changes === undefined ? {} : { changes: Number(changes) }),
    ...(modes === undefined ? {} : { modes: modes.split(' ') }),
    gives: [],
  }
}

function partsOf(text: string, pattern: RegExp): Readonly<Record<string, string | undefined>> {
  return pattern.exec(text)?.groups ?? {}
}
