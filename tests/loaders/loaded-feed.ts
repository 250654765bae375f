// Loads feeds that are given as text, and returns their rows as plain strings, so that a test can show the full effect
// of a small change to a valid feed.
import { columnArray } from '../../loaders/columns.ts'
import { type FeedProblems, FeedRefused } from '../../loaders/feed-problems.ts'
import type { Feed, FeedSource } from '../../loaders/gtfs/feed.ts'
import { loadFeed } from '../../loaders/gtfs/load-feed.ts'
import { type StringIndex, textOf } from '../../loaders/strings.ts'
import { SMALL_FEED, smallFeed } from '../feeds/text-feed.ts'

/** Files that replace those of the small feed; undefined removes the file. */
export type FeedChanges = Readonly<Record<string, string | undefined>>

/** A feed and the problems that the loader reported. */
export interface Outcome {
  readonly feed: Feed
  readonly problems: FeedProblems
  /** The problems, each as `action rule file:line field ×count (example)`. */
  readonly reported: string[]
}

/** Loads a feed from a source, and lists the reported problems. */
export async function loadSource(source: FeedSource): Promise<Outcome> {
  const { feed, problems } = await loadFeed(source)
  const reported = problems
    .list()
    .map(
      ({ action, rule, file, line, field, count, example }) =>
        `${action} ${rule} ${file}:${line} ${field} ×${count} (${example})`,
    )
  return { feed, problems, reported }
}

/** Loads the small feed with changes. */
export async function load(changes: FeedChanges = {}): Promise<Outcome> {
  return await loadSource(smallFeed(changes))
}

/** Why a feed is refused, as `file:line rule (example)`; line 0 means the whole file. */
export async function refusalOf(source: FeedSource | Promise<FeedSource>): Promise<string> {
  try {
    await loadFeed(await source)
  } catch (error) {
    if (!(error instanceof FeedRefused)) throw error
    const { file, line, rule, example } = error.problem
    return `${file}:${line} ${rule} (${example})`
  }
  return 'not refused'
}

/** A file from the small feed, with lines added at its end. */
export function added(file: string, ...lines: readonly string[]): FeedChanges {
  return { [file]: [SMALL_FEED[file] ?? '', ...lines].join('\n') }
}

/** A file from the small feed, in which `from` is replaced with `to`. Throws if the file does not contain `from`. */
export function replaced(file: string, from: string, to: string): FeedChanges {
  const text = SMALL_FEED[file] ?? ''
  if (!text.includes(from)) throw new Error(`${file} of the small feed has no "${from}"`)
  return { [file]: text.replace(from, to) }
}

/** The strings in a column. */
export function textsOf(feed: Feed, column: { readonly length: number }): string[] {
  return [...columnArray(column)].map((index) => textOf(feed.strings, index as StringIndex))
}

/** The numbers in a column. */
export function numbersOf(column: { readonly length: number }): number[] {
  return [...columnArray(column)]
}

/** The calls of each trip, as `stop arrival` if the departure is the same, otherwise `stop arrival-departure`. */
export function callsByTrip(feed: Feed): Record<string, string> {
  const offset = numbersOf(feed.trips.callOffset)
  const stops = textsOf(feed, feed.stops.id)
  const arrival = numbersOf(feed.calls.arrivalSeconds)
  const departure = numbersOf(feed.calls.departureSeconds)
  const calls = numbersOf(feed.calls.stop).map((stop, call) => {
    const [from, to] = [clock(arrival[call] ?? 0), clock(departure[call] ?? 0)]
    return `${stops[stop]} ${from === to ? from : `${from}-${to}`}`
  })
  const trips = textsOf(feed, feed.trips.id)
  return Object.fromEntries(trips.map((trip, row) => [trip, calls.slice(offset[row], offset[row + 1]).join(', ')]))
}

/** The days on which each service runs, as yyyy-mm-dd. */
export function daysByService(feed: Feed): Record<string, string[]> {
  const { firstDay, dayCount, bytesPerService, activeDays } = feed.services
  const days = (service: number) =>
    Array.from({ length: dayCount }, (_, day) => day)
      .filter((day) => (((activeDays[service * bytesPerService + (day >> 3)] ?? 0) >> (day & 7)) & 1) === 1)
      .map((day) => new Date((firstDay + day) * 86_400_000).toISOString().slice(0, 10))
  return Object.fromEntries(textsOf(feed, feed.services.id).map((id, service) => [id, days(service)]))
}

function clock(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}
