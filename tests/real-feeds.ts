// Imports and serves real feeds, and compares their boards over HTTP with a naive reading of the feeds' text. Run it
// with `QUAI_FEEDS=folder bun tests/real-feeds.ts`. Other settings: QUAI_BOARDS, QUAI_SEED, QUAI_ONLY, QUAI_BINARY.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import {
  type BoardQuestion,
  type ClockChange,
  diceOf,
  type ListedArea,
  listClockChanges,
  listZoneChanges,
  questionsOf,
} from './board-questions.ts'
import { readTextBoards, type TextBoards, type TextRow } from './oracles/text-boards.ts'
import { offsetMillis } from './oracles/text-dates.ts'
import { type QuaiProcess, startQuai } from './quai-process.ts'
import { weeksToMiddle, writeShiftedFeed } from './shifted-feed.ts'
import { SEED } from './size.ts'

/** The id under which each feed is served. */
export const NETWORK = 'real'
/** The number of rows requested per board. */
export const LIMIT = 50
const AREA_PAGE = 100
const REASONS = [
  'outside_service_period',
  'no_service_today',
  'no_more_service_today',
  'terminus',
  'no_boarding',
  'active_disruption',
]
const CHANGE_KINDS = ['spring', 'autumn'] as const

/** The result of checking one feed. */
export interface FeedVerdict {
  readonly feed: string
  readonly boards: number
  readonly rows: number
  readonly emptyBoards: number
  /** Kind of clock change → number of boards around such a change. */
  readonly changeBoards: Readonly<Record<ClockChange['kind'], number>>
  readonly mismatches: number
  /** The first difference, or why the feed could not be queried at all. */
  readonly firstDifference: string | undefined
}

/** The zips in a folder, or in its subfolder `gtfs`, whose names contain `only`. */
export function listRealFeeds(folder: string, only = ''): string[] {
  const inside = existsSync(join(folder, 'gtfs')) ? join(folder, 'gtfs') : folder
  return readdirSync(inside)
    .filter((name) => name.endsWith('.zip') && name.includes(only))
    .sort()
    .map((name) => join(inside, name))
}

/**
 * Imports, serves and queries one feed: `boards` ordinary boards, and as many around each kind of clock change that the
 * feed covers.
 */
export async function checkFeed(
  path: string,
  { boards, seed }: { boards: number; seed: number },
): Promise<FeedVerdict> {
  let quai: QuaiProcess | undefined
  try {
    const oracle = await readTextBoards(path, NETWORK)
    const service = await startQuai(path, NETWORK)
    quai = service
    const areas = await listAreas(service, oracle)
    const compare = (question: BoardQuestion) => compareBoard(service, oracle, question)
    return await askBoards(oracle, { feed: basename(path), areas, boards, seed, compare })
  } catch (error) {
    return failedVerdict(path, error)
  } finally {
    await quai?.stop()
  }
}

/** The result for a feed that could not be queried at all. */
export function failedVerdict(path: string, error: unknown): FeedVerdict {
  const none = { boards: 0, rows: 0, emptyBoards: 0, changeBoards: { spring: 0, autumn: 0 } }
  return { feed: basename(path), ...none, mismatches: 1, firstDifference: messageOf(error) }
}

/**
 * The result of comparing a response with the oracle's rows: the first difference, if any, and the expected number of
 * rows.
 */
export interface Comparison {
  readonly difference: string | undefined
  readonly rows: number
}

/** Makes queries for a feed's boards, and calls `compare` for each. An exception counts as a difference. */
export async function askBoards(
  oracle: TextBoards,
  requested: {
    readonly feed: string
    readonly areas: readonly ListedArea[]
    readonly boards: number
    readonly seed: number
    readonly compare: (question: BoardQuestion) => Comparison | Promise<Comparison>
  },
): Promise<FeedVerdict> {
  const { feed, areas, boards, seed } = requested
  const verdict = { feed, boards: 0, rows: 0, emptyBoards: 0, mismatches: 0 }
  const changeBoards = { spring: 0, autumn: 0 }
  let firstDifference: string | undefined
  try {
    const ask = async (question: BoardQuestion | undefined) => {
      if (question === undefined) return
      const { difference, rows } = await requested.compare(question)
      verdict.boards++
      verdict.rows += rows
      if (rows === 0) verdict.emptyBoards++
      if (difference === undefined) return
      verdict.mismatches++
      firstDifference ??= difference
    }
    const questions = questionsOf(oracle, { network: NETWORK, areas, dice: diceOf(seed) })
    for (let index = 0; index < boards; index++) await ask(questions.ordinary(index))
    const changes = listClockChanges(oracle)
    for (const kind of CHANGE_KINDS) {
      const those = changes.filter((change) => change.kind === kind)
      for (let index = 0; index < boards; index++) {
        const change = those[index % those.length]
        if (change === undefined) break
        await ask(questions.atChange(change))
        changeBoards[kind]++
      }
    }
  } catch (error) {
    verdict.mismatches++
    firstDifference ??= messageOf(error)
  }
  return { ...verdict, changeBoards, firstDifference }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Like checkFeed, but with a copy of the feed. The copy's calendar is moved to a clock change of the given kind, in the
 * calendar year after the feed's last day. Undefined if no service of the feed ever runs, or if the zone has no such
 * clock change.
 */
export async function checkShiftedFeed(
  path: string,
  { kind, ...size }: { kind: ClockChange['kind']; boards: number; seed: number },
): Promise<FeedVerdict | undefined> {
  const { zone, firstDate, lastDate } = await readTextBoards(path, NETWORK)
  if (firstDate === undefined || lastDate === undefined) return undefined
  const nextYear = String(Number(lastDate.slice(0, 4)) + 1)
  const change = listZoneChanges(zone, `${nextYear}0101`, `${nextYear}1231`).find((each) => each.kind === kind)
  if (change === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'quai-shifted-'))
  try {
    const copy = join(folder, `${basename(path, '.zip')}-moved-to-${kind}`)
    await writeShiftedFeed(path, copy, weeksToMiddle(firstDate, lastDate, change.seconds))
    return await checkFeed(copy, size)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The result as one line of text. */
export function describeVerdict(verdict: FeedVerdict): string {
  const { feed, boards, rows, emptyBoards, changeBoards, mismatches, firstDifference } = verdict
  const { spring, autumn } = changeBoards
  const counts = `${boards} boards (${emptyBoards} empty, ${spring} in spring, ${autumn} in autumn), ${rows} rows`
  return `${feed}: ${counts}, ${mismatches} mismatches${firstDifference === undefined ? '' : `\n  ${firstDifference}`}`
}

/**
 * The areas that the service lists. A station's stops come from the feed's text, and the stops of a generated area come
 * from the service.
 */
async function listAreas(quai: QuaiProcess, oracle: TextBoards): Promise<ListedArea[]> {
  const areas: ListedArea[] = []
  let cursor = ''
  for (;;) {
    const page = objectOf(await quai.get(`/v1/networks/${NETWORK}/stops?kind=area&limit=${AREA_PAGE}${cursor}`))
    for (const area of listOf(page['data']).map(objectOf)) {
      const childIds = listOf(area['children']).map((child) => String(child).replace(`${NETWORK}:stop:`, ''))
      const id = String(area['id'])
      areas.push({ id, childIds: oracle.childrenOf.get(id.replace(`${NETWORK}:area:`, '')) ?? childIds })
    }
    const next = objectOf(page['meta'])['next_cursor']
    if (typeof next !== 'string') return areas
    cursor = `&cursor=${encodeURIComponent(next)}`
  }
}

/** Requests one board over HTTP, and compares it with the oracle's board. */
export async function compareBoard(
  quai: Pick<QuaiProcess, 'get'>,
  oracle: TextBoards,
  question: BoardQuestion,
): Promise<Comparison> {
  const path = pathOf(question)
  const body = objectOf(await quai.get(path))
  const meta = objectOf(body['meta'])
  const served = listOf(body['data']).map((row) => lineOfAnswer(objectOf(row)))
  const found = compareRows(oracle, question, { served, reason: meta['reason'] })
  const difference = found.difference ?? (meta['count'] === served.length ? undefined : `meta.count ${meta['count']}`)
  return { rows: found.rows, difference: difference === undefined ? undefined : `${path}: ${difference}` }
}

/** The path and the parameters of the request for a board. */
export function pathOf({ id, whenSeconds, horizonMinutes, lineId, directionId }: BoardQuestion): string {
  const when = new Date(whenSeconds * 1000).toISOString().replace('.000', '')
  const line = lineId === undefined ? '' : `&line=${encodeURIComponent(`${NETWORK}:line:${lineId}`)}`
  const direction = directionId === undefined ? '' : `&direction=${directionId}`
  const window = `when=${when}&horizon=${horizonMinutes}&limit=${LIMIT}`
  return `/v1/stops/${encodeURIComponent(id)}/departures?${window}${line}${direction}`
}

/**
 * Compares a response's rows with the oracle's. Each row is a string made by `lineOfRow`. If the response has no rows,
 * it must have a reason.
 */
export function compareRows(
  oracle: TextBoards,
  { whenSeconds, horizonMinutes, ...question }: BoardQuestion,
  { served, reason }: { readonly served: readonly string[]; readonly reason: unknown },
): Comparison {
  const window = { fromSeconds: whenSeconds, toSeconds: whenSeconds + horizonMinutes * 60 }
  const expected = oracle.board({ ...question, ...window, limit: LIMIT }).map((row) => lineOfRow(row, oracle.zone))
  const differ = (difference: string | undefined): Comparison => ({ difference, rows: expected.length })
  const length = Math.max(served.length, expected.length)
  for (let i = 0; i < length; i++) {
    if (served[i] === expected[i]) continue
    return differ(
      `row ${i} of ${served.length}/${expected.length}\n    served   ${served[i]}\n    expected ${expected[i]}`,
    )
  }
  if (served.length === 0 && !REASONS.includes(String(reason))) return differ(`empty, meta.reason ${reason}`)
  return differ(undefined)
}

function lineOfAnswer(row: Readonly<Record<string, unknown>>): string {
  return [row['scheduled_at'], row['trip_id'], row['stop_id'], row['line_id'], row['headsign']].join(' | ')
}

/** A row as one string. Its time is the local time with the zone's offset. */
export function lineOfRow(row: Omit<TextRow, 'call'>, zone: string): string {
  return [localTime(row.seconds, zone), row.trip_id, row.stop_id, row.line_id, row.headsign].join(' | ')
}

/** The local time of an instant in RFC 3339 format, with the zone's offset at that instant. */
function localTime(seconds: number, zone: string): string {
  const offset = offsetMillis(zone, seconds * 1000)
  const minutes = Math.abs(offset) / 60_000
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const wall = new Date(seconds * 1000 + offset).toISOString().slice(0, 19)
  return `${wall}${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new Error(`not an object: ${JSON.stringify(value)}`)
  return Object.fromEntries(Object.entries(value))
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`not a list: ${JSON.stringify(value)}`)
  return value
}

/**
 * Checks feed after feed. For each kind of clock change that none of the feeds covers, also checks a copy of one feed
 * with a moved calendar.
 */
export async function checkFeeds(
  paths: readonly string[],
  { print, ...size }: { boards: number; seed: number; print: (line: string) => void },
): Promise<FeedVerdict[]> {
  const verdicts: FeedVerdict[] = []
  for (const path of paths) {
    const verdict = await checkFeed(path, size)
    verdicts.push(verdict)
    print(describeVerdict(verdict))
  }
  for (const kind of CHANGE_KINDS) {
    if (verdicts.some(({ changeBoards }) => changeBoards[kind] > 0)) continue
    for (const path of paths) {
      const verdict = await checkShiftedFeed(path, { ...size, kind })
      if (verdict === undefined) continue
      verdicts.push(verdict)
      print(describeVerdict(verdict))
      break
    }
  }
  return verdicts
}

if (import.meta.main) {
  const folder = process.env['QUAI_FEEDS']
  if (folder === undefined || !existsSync(folder)) {
    console.error('QUAI_FEEDS must name a folder of GTFS zips')
    process.exit(2)
  }
  const boards = Number(process.env['QUAI_BOARDS'] ?? 100)
  console.log(`seed ${SEED}, ${boards} boards per feed`)
  const paths = listRealFeeds(folder, process.env['QUAI_ONLY'])
  const verdicts = await checkFeeds(paths, { boards, seed: SEED, print: console.log })
  const failed = verdicts.filter(({ mismatches }) => mismatches > 0).length
  console.log(`${verdicts.length - failed} passed, ${failed} failed`)
  process.exit(failed > 0 || verdicts.length === 0 ? 1 : 0)
}
