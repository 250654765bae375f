// Replays captures of real GTFS-Realtime feeds. The service runs at the time of each capture, and its responses must
// agree with those of a second implementation, which reads the captured bytes. Run it with `QUAI_FEEDS=folder bun
// tests/real-realtime.ts`. Settings: QUAI_ONLY, QUAI_BINARY.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFeedText } from './oracles/feed-text.ts'
import { readBytes } from './oracles/realtime-bytes.ts'
import { TextMemory } from './oracles/realtime-memory.ts'
import { type RealtimeReading, readRealtime } from './oracles/realtime-reading.ts'
import type { FeedMessage } from './oracles/realtime-trips.ts'
import { readPlaces, readVehicles, type TextPlaces } from './oracles/realtime-vehicles.ts'
import { readTextBoards, type TextBoards } from './oracles/text-boards.ts'
import { compareAlerts } from './replayed-alerts.ts'
import { askBoards, keyOfRow, listOf, objectOf } from './replayed-boards.ts'
import { MAX_AGE_SECONDS, NETWORK, ReplayedNetwork } from './replayed-network.ts'
import { askTrips } from './replayed-trips.ts'
import { askAllVehicles } from './replayed-vehicles.ts'
import { weeksToMiddle, writeShiftedFeed } from './shifted-feed.ts'

const PORT = 19_170
const DIFFERENCES_SHOWN = 5
const FRESH_SECONDS = 90
const LEAST_MATCH_RATE = 0.5

/** A capture: the messages of its feeds at one time, or at several times. */
export interface Capture {
  readonly name: string
  /** Name of the timetable's file without `.zip`. */
  readonly gtfs: string
  /**
   * Whether the capture's messages are minutes apart. If so, one service, whose clock stands at the time of the last
   * message, reads all of them in order. Then it reads the first message again, which must change nothing. The feed's
   * calendar is moved by whole weeks so that it covers the messages.
   */
  readonly isSequence?: true
  /** The times of the capture. Each maps a live feed to the file with its message. */
  readonly moments: readonly Readonly<Record<string, string>>[]
}

const one = (file: string) => ({ capture: file })

/** The captures for which there is a matching timetable. */
export const CAPTURES: readonly Capture[] = [
  {
    name: 'caltrain-2023',
    gtfs: 'caltrain-2023',
    moments: [{ trips: 'trip-updates.pb', vehicles: 'vehicle-positions.pb', alerts: 'service-alerts.pb' }],
  },
  {
    name: 'nyc-ferry-2019',
    gtfs: 'nyc-ferry-2019',
    moments: ['20200302T110730.pb', '20200302T155200.pb'].map(one),
  },
  { name: 'bart-2019', gtfs: 'bart-2019', moments: [{ trips: 'trip-updates.pb', alerts: 'alerts.pb' }] },
  {
    name: 'redding-raba-2024',
    gtfs: 'redding-raba-2024',
    moments: [{ trips: 'trip-updates.pb', vehicles: 'vehicle-positions.pb' }],
  },
  {
    name: 'wmata-bus-2024-cut',
    gtfs: 'wmata-bus-2024-cut',
    moments: ['2345.pb', '2354.pb', '0004.pb', '0009.pb'].map(one),
  },
  {
    name: 'nyc-subway-2023-cut',
    gtfs: 'nyc-subway-2023-cut',
    moments: [
      'added_trips-subways.pb',
      'added_trips-si-20231019T073001.pb',
      'wrong_way-g.pb',
      'wrong_way-j.pb',
      'wrong_way-l.pb',
      'wrong_way-m.pb',
    ].map(one),
  },
  {
    name: 'nyc-subway-ace-2024-02-08',
    gtfs: 'mta-subway-2026',
    isSequence: true,
    moments: [
      1707397157, 1707397217, 1707397277, 1707397338, 1707397398, 1707397458, 1707397519, 1707397579, 1707397640,
      1707397700, 1707397760, 1707397821,
    ].map((seconds) => one(`${seconds}.ace.pb`)),
  },
]

/** The result of checking one time of a capture. */
export interface CaptureVerdict {
  readonly capture: string
  readonly at: string
  readonly updates: number
  /** The number of matches, by method. */
  readonly matched: Readonly<Record<string, number>>
  readonly unmatched: Readonly<Record<string, number>>
  readonly leftCalls: Readonly<Record<string, number>>
  /** Number of calls whose time is in the messages, by how the stop's board shows that time. */
  readonly timed: Readonly<Record<TimedCall, number>>
  /** Number of trips whose delay comes from an earlier trip in their block. */
  readonly carriedTrips: number
  readonly reports: number
  /** Number of vehicle reports that are not shown, by reason. */
  readonly leftReports: Readonly<Record<string, number>>
  /** Number of vehicles, by `position_source`. */
  readonly vehicles: Readonly<Record<string, number>>
  /** Number of alerts in the messages. */
  readonly alerts: number
  readonly boards: number
  /** Number of trips in the messages that were requested over HTTP. */
  readonly trips: number
  readonly rows: number
  readonly statuses: Readonly<Record<string, number>>
  readonly differences: readonly string[]
}

/**
 * How the reported time of a call is shown on the board of the call's stop.
 *
 * - `exact`: as reported
 * - `clamped`: raised to the time of the previous call
 * - `arrivalOnly`: computed from the reported arrival
 * - `notBoarded`: not shown, because nobody can board there
 * - `missing`: not shown, although it should be
 */
type TimedCall = 'exact' | 'clamped' | 'arrivalOnly' | 'notBoarded' | 'missing'

/**
 * The paths of a capture's timetable and messages.
 * @param folder the folder of real data, or its subfolder `gtfs`
 */
export function capturePaths(folder: string, { gtfs, name }: Capture): { gtfs: string; captures: string } {
  const inside = existsSync(join(folder, 'gtfs')) ? folder : join(folder, '..')
  return { gtfs: join(inside, 'gtfs', `${gtfs}.zip`), captures: join(inside, 'gtfs-rt', name) }
}

/** Replays a capture at each of its times. */
export async function checkCapture(folder: string, capture: Capture): Promise<CaptureVerdict[]> {
  const paths = capturePaths(folder, capture)
  const moments = await Promise.all(
    capture.moments.map(async (files): Promise<Moment> => {
      const bytes = await readMoment(paths.captures, files)
      const seconds = Math.max(...[...bytes.values()].map((each) => readBytes(each).seconds))
      return { name: `${capture.name} ${Object.values(files)[0]}`, bytes, seconds }
    }),
  )
  const moved = mkdtempSync(join(tmpdir(), 'quai-replayed-'))
  try {
    const gtfs = capture.isSequence ? await moveFeed(paths.gtfs, join(moved, capture.gtfs), moments) : paths.gtfs
    return await replay(gtfs, moments, capture.isSequence ?? false)
  } finally {
    rmSync(moved, { recursive: true, force: true })
  }
}

/** Copies a feed and moves the copy's calendar to the captured times; returns the copy's path. */
async function moveFeed(gtfs: string, copy: string, moments: readonly Moment[]): Promise<string> {
  const { firstDate, lastDate } = await readTextBoards(gtfs, NETWORK)
  if (firstDate === undefined || lastDate === undefined) throw new Error(`${gtfs} never runs`)
  await writeShiftedFeed(gtfs, copy, weeksToMiddle(firstDate, lastDate, moments[0]?.seconds ?? 0))
  return copy
}

async function replay(gtfs: string, moments: readonly Moment[], isSequence: boolean): Promise<CaptureVerdict[]> {
  const text = { boards: await readTextBoards(gtfs, NETWORK), places: await readPlaces(await openFeedText(gtfs)) }
  const network = new ReplayedNetwork(gtfs, [...(moments[0]?.bytes.keys() ?? [])])
  const verdicts: CaptureVerdict[] = []
  let liveStopIds: readonly string[] = []
  let memory = new TextMemory()
  try {
    const last = moments.at(-1)
    for (const [at, moment] of moments.entries()) {
      const nowSeconds = isSequence && last !== undefined ? last.seconds : moment.seconds
      if (!isSequence) memory = new TextMemory()
      if (isSequence && at > 0) await network.publish(moment.bytes)
      else await network.serve(PORT, nowSeconds, moment.bytes)
      const isBetween = isSequence && at > 0 && moment !== last
      const stopIds = isBetween ? liveStopIds : text.boards.stopIds
      const { verdict, reading } = await checkMoment(network, text, {
        ...moment,
        nowSeconds,
        stopIds,
        isSequence,
        memory,
      })
      verdicts.push(verdict)
      liveStopIds = [...reading.placed.keys()]
    }
    if (isSequence && last !== undefined && moments[0] !== undefined) {
      await network.publish(moments[0].bytes)
      const name = `${last.name}, followed by an older one`
      const again = { ...last, name, nowSeconds: last.seconds, stopIds: liveStopIds, isSequence, memory }
      verdicts.push((await checkMoment(network, text, again)).verdict)
    }
    return verdicts
  } finally {
    await network.stop()
  }
}

/** Reads the messages at one time of a capture: live feed → the bytes of its message. */
async function readMoment(
  folder: string,
  moment: Capture['moments'][number],
): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const read = Object.entries(moment).map(
    async ([feed, file]) => [feed, await Bun.file(join(folder, file)).bytes()] as const,
  )
  return new Map(await Promise.all(read))
}

interface TextOfFeed {
  readonly boards: TextBoards
  readonly places: TextPlaces
}

/** The messages of all feeds at a time, and the time of the newest. */
interface Moment {
  readonly name: string
  readonly bytes: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
  readonly seconds: number
}

async function checkMoment(
  network: ReplayedNetwork,
  { boards, places }: TextOfFeed,
  at: Moment & {
    readonly nowSeconds: number
    readonly stopIds: Iterable<string>
    readonly isSequence: boolean
    readonly memory: TextMemory
  },
): Promise<{ verdict: CaptureVerdict; reading: RealtimeReading }> {
  const { name, bytes, nowSeconds } = at
  const messages = [...bytes].map(([feed, each]): FeedMessage => ({ feed, message: readBytes(each) }))
  const reading = readRealtime(boards, messages, { network: NETWORK, nowSeconds, memory: at.memory })
  // In a sequence, `/v1/status` is not compared. Boards are compared for the stops at which the messages report calls,
  // and for the stops in `at.stopIds`.
  const health = at.isSequence ? undefined : await compareHealth(network, reading, messages, nowSeconds)
  const stopIds = new Set([...reading.placed.keys(), ...at.stopIds])
  const found = await askBoards(network, stopIds, { reading, nowSeconds })
  const foundTrips = await askTrips(network, reading)
  const context = { boards, places, reading, network: NETWORK, nowSeconds, maxAgeSeconds: MAX_AGE_SECONDS }
  const vehicles = readVehicles(messages, context)
  const foundVehicles = await askAllVehicles(network, boards, vehicles.vehicles)
  const lineIds = [...new Set(boards.trips.map(({ route }) => `${NETWORK}:line:${route.id}`))]
  const decoded = messages.map(({ message }) => message)
  const alerts = await compareAlerts(network, decoded, lineIds)
  const tallies = [...reading.tallies.values()]
  const verdict = {
    capture: name,
    at: new Date(nowSeconds * 1000).toISOString(),
    updates: tallies.reduce((sum, { updates }) => sum + updates, 0),
    matched: addUp(tallies.map(({ matched }) => matched)),
    unmatched: addUp(tallies.map(({ unmatched }) => unmatched)),
    leftCalls: addUp(tallies.map(({ leftCalls }) => leftCalls)),
    timed: countTimed(reading, found.served),
    carriedTrips: [...reading.trips.values()].filter(({ isCarried }) => isCarried).length,
    reports: vehicles.reports,
    leftReports: vehicles.left,
    vehicles: foundVehicles.shown,
    alerts: decoded.reduce((sum, { alerts }) => sum + alerts.length, 0),
    boards: found.boards,
    trips: foundTrips.trips,
    rows: found.served.size,
    statuses: found.statuses,
    differences: [
      ...(health ?? []),
      ...alerts,
      ...found.differences,
      ...foundTrips.differences,
      ...foundVehicles.differences,
    ],
  }
  return { verdict, reading }
}

/**
 * Checks `/v1/status`: it must be `ok` if every feed is fresh and at least half of its trip updates match a trip, and
 * `degraded` otherwise.
 */
async function compareHealth(
  network: ReplayedNetwork,
  { tallies }: RealtimeReading,
  messages: readonly FeedMessage[],
  nowSeconds: number,
): Promise<string[]> {
  const isWell = messages.every(({ feed, message }) => {
    const { updates = 0, matched = {} } = tallies.get(feed) ?? {}
    const share = updates === 0 ? 1 : Object.values(matched).reduce((sum, count) => sum + count, 0) / updates
    return nowSeconds - message.seconds <= FRESH_SECONDS && share >= LEAST_MATCH_RATE
  })
  const { body } = await network.get('/v1/status')
  const [entry] = listOf(body['data']).map(objectOf)
  const expected = isWell ? 'ok' : 'degraded'
  return entry?.['realtime'] === expected ? [] : [`/v1/status: ${entry?.['realtime']}, expected ${expected}`]
}

/** Counts the calls with a reported time, by how their stop's board shows that time. */
function countTimed(reading: RealtimeReading, served: ReadonlySet<string>): Record<TimedCall, number> {
  const all = [...reading.trips.values()].flatMap(({ calls }) => calls)
  const timed = all.filter(({ reportedSeconds, isSkipped }) => reportedSeconds !== undefined && !isSkipped).length
  const counts = { exact: 0, clamped: 0, arrivalOnly: 0, notBoarded: timed, missing: 0 }
  for (const { row, call } of [...reading.placed.values()].flat()) {
    if (call.reportedSeconds === undefined || row.expected === null) continue
    counts.notBoarded--
    if (!served.has(keyOfRow(row))) counts.missing++
    else if (row.expected === call.reportedSeconds) counts.exact++
    else if (call.isRaised) counts.clamped++
    else counts.arrivalOnly++
  }
  return counts
}

function addUp(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {}
  for (const [reason, times] of counts.flatMap((each) => Object.entries(each))) sum[reason] = (sum[reason] ?? 0) + times
  return sum
}

/** The result as readable text. */
export function describeCapture(verdict: CaptureVerdict): string {
  const { capture, at, updates, matched, unmatched, leftCalls, timed, carriedTrips, boards, rows, differences } =
    verdict
  const { exact, clamped, arrivalOnly, notBoarded, missing } = timed
  const share = Object.values(matched).reduce((sum, count) => sum + count, 0)
  return [
    `${capture} at ${at}: ${share} of ${updates} trip updates matched, ${differences.length} differences`,
    `  matched    ${countsText(matched)}; ${carriedTrips} more by their block`,
    `  unmatched  ${countsText(unmatched)}`,
    `  left out   ${countsText(leftCalls)}`,
    `  timed      ${exact} to the second, ${arrivalOnly} by their arrival, ${clamped} clamped, ${notBoarded} not boarded, ${missing} missing`,
    `  vehicles   ${countsText(verdict.vehicles)}; of ${verdict.reports} reports not shown: ${countsText(verdict.leftReports)}; ${verdict.alerts} alerts`,
    `  boards     ${boards} boards, ${rows} rows: ${countsText(verdict.statuses)}; ${verdict.trips} trips`,
    ...differences.slice(0, DIFFERENCES_SHOWN).map((difference) => `  ${difference}`),
  ].join('\n')
}

function countsText(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).sort(([, a], [, b]) => b - a)
  return parts.length === 0 ? 'none' : parts.map(([what, count]) => `${count} ${what}`).join(', ')
}

if (import.meta.main) {
  const folder = process.env['QUAI_FEEDS']
  if (folder === undefined || !existsSync(folder)) {
    console.error('QUAI_FEEDS must name a folder of GTFS zips and captures')
    process.exit(2)
  }
  const only = process.env['QUAI_ONLY'] ?? ''
  let failed = 0
  for (const capture of CAPTURES.filter(({ name }) => name.includes(only))) {
    for (const verdict of await checkCapture(folder, capture)) {
      console.log(describeCapture(verdict))
      if (verdict.differences.length > 0) failed++
    }
  }
  process.exit(failed > 0 ? 1 : 0)
}
