// Compares the journey lists that the API returns for a feed with those that the list oracle (oracles/journey-list.ts)
// allows.
import type { Dice } from './board-questions.ts'
import { listJourneyQueries } from './journey-questions.ts'
import type { JourneyFeed } from './oracles/journey-feed.ts'
import type { JourneyQuery } from './oracles/journey-ground.ts'
import {
  type BestJourney,
  judgeList,
  type ListedJourney,
  type ListQuestion,
  type ListReason,
  type ListVerdict,
} from './oracles/journey-list.ts'
import type { JourneyOracle, RiddenJourney } from './oracles/journey-oracle.ts'
import { metersWalked, type PlainEnd, secondsWalked } from './oracles/journey-places.ts'
import { dodgesChange, type PlainJourney } from './oracles/journey-rides.ts'

const NIGHT_END_SECONDS = 5 * 3600
const DAY_SECONDS = 86_400
/** A change with less spare time than this counts as tight. This is the default for networks. */
const TIGHT_SECONDS = 60
/** The maximum length of a list. This is the default for networks. */
const LONGEST_LIST = 6
/**
 * If a list is not full, the oracle's search extends this far beyond the list's last journey. A journey in this range
 * may be the reason why another journey is missing.
 */
const BEYOND_SECONDS = 3 * 3600
/**
 * Different combinations of rides can have the same departure and arrival times. This is the maximum number of
 * combinations that are considered at first for each of the best journeys.
 */
const MOST_WAYS = 32
/**
 * Maximum number of combinations that are considered if the first MOST_WAYS do not explain why a journey is missing.
 */
const ALL_WAYS = 4096

/** The members of a `GET /v1/journeys` response that the list oracle needs. */
export interface ReceivedJourneys {
  readonly data: readonly ReceivedJourney[]
  readonly meta: { readonly reason?: string; readonly next_cursor: string | null }
}

/** A journey from a response. */
export interface ReceivedJourney {
  readonly id: string
  readonly departure_at: string
  readonly arrival_at: string
  readonly transfers: number
  readonly walking_seconds: number
  readonly slack_seconds: number | null
  readonly sections: readonly { readonly kind: string; readonly departure_at: string; readonly arrival_at: string }[]
}

/** Sends a request to the journeys route. @param query the part of the URL after `?` */
export type Asker = (query: string) => Promise<ReceivedJourneys>

/** The result of checking one feed. */
export interface ListsVerdict {
  lists: number
  shown: number
  /** Number of lists without any journeys. */
  empty: number
  readonly reasons: Map<ListReason, number>
  readonly faults: string[]
}

/** The API that returns the lists, and the oracle against which they are checked. */
export interface ListGround {
  readonly oracle: JourneyOracle
  readonly ask: Asker
  /** The network's slug. */
  readonly slug: string
}

/**
 * Checks the lists for `count` random queries, each by departure time and by arrival time, and with limits of 3 and 6.
 */
export async function checkLists(ground: ListGround, dice: Dice, count: number): Promise<ListsVerdict> {
  const verdict: ListsVerdict = { lists: 0, shown: 0, empty: 0, reasons: new Map(), faults: [] }
  for (const query of listJourneyQueries(ground.oracle.feed, dice, count)) {
    for (const isArriveBy of [false, true]) await checkQuestion(ground, { ...query, isArriveBy }, verdict)
  }
  return verdict
}

async function checkQuestion(ground: ListGround, query: JourneyQuery, verdict: ListsVerdict): Promise<void> {
  const [short, long] = [
    await listOf(ground, query, { limit: 3 }),
    await listOf(ground, query, { limit: LONGEST_LIST }),
  ]
  if (short === undefined || long === undefined) return
  const [three, six] = [short.list, long.list]
  let found = judgeBoth(ground.oracle, query, { three, six, more: [] })
  if (long.next !== null && found.some(({ faults }) => faults.length > 0)) {
    const next = await listOf(ground, query, { limit: LONGEST_LIST, cursor: long.next })
    found = judgeBoth(ground.oracle, query, { three, six, more: next?.list ?? [] })
  }
  verdict.lists += found.length
  verdict.shown += three.length + six.length
  verdict.empty += [three, six].filter(({ length }) => length === 0).length
  for (const { reasons, faults } of found) {
    for (const [reason, count] of reasons) add(verdict.reasons, reason, count)
    verdict.faults.push(...faults.map((fault) => `${fault} ${JSON.stringify(query)}`))
  }
  // The list of three must be the start of the list of six.
  if (JSON.stringify(six.slice(0, three.length)) !== JSON.stringify(three)) {
    verdict.faults.push(`the list of three is not the start of the list of six ${JSON.stringify(query)}`)
  }
}

interface BothLists {
  readonly three: readonly ShownJourney[]
  readonly six: readonly ShownJourney[]
  /** The page that follows the list of six. */
  readonly more: readonly ShownJourney[]
}

/** A journey with its id. The id encodes the rides. */
interface ShownJourney extends ListedJourney {
  readonly id: string
}

/**
 * Compares both lists with the oracle's best journeys up to the last journey in the lists, or a little later. If these
 * do not explain why a list ends at its last journey, compares with the best journeys of the whole day.
 */
function judgeBoth(oracle: JourneyOracle, query: JourneyQuery, { three, six, more }: BothLists): ListVerdict[] {
  const last = more.at(-1) ?? six.at(-1)
  const beyond = six.length === LONGEST_LIST ? 0 : BEYOND_SECONDS
  const near = last && (query.isArriveBy ? last.departs - beyond : last.arrives + beyond)
  for (const until of [near, undefined]) {
    const best = oracle.riddenSet({ ...query, until }).map((one) => bestOf(oracle.feed, one))
    const found = [
      judge(oracle, { best, shown: three }, { ...ruleOf(query, 3), continued: [...six.slice(three.length), ...more] }),
      judge(oracle, { best, shown: six }, { ...ruleOf(query, LONGEST_LIST), continued: more }),
    ]
    if (until === undefined || found.every(({ isEndKnown }) => isEndKnown)) return found
  }
  return []
}

function ruleOf({ isArriveBy }: JourneyQuery, limit: number): Omit<ListQuestion, 'continued'> {
  return { isArriveBy, limit, tightSeconds: TIGHT_SECONDS }
}

/**
 * Compares a list with the oracle's best journeys. If they differ, compares again without journeys that are among the
 * best only because the rider travels out and back to avoid a slow change.
 */
function judge(
  { feed }: JourneyOracle,
  { best, shown }: { readonly best: readonly LookedAt[]; readonly shown: readonly ListedJourney[] },
  question: ListQuestion,
): ListVerdict {
  const found = judgeList(best, shown, question)
  if (found.faults.length === 0) return found
  const ridden = best.filter((one) => one.ridden().some((journey) => !dodgesChange(feed, journey)))
  let again = judgeList(ridden, shown, question)
  // The combinations of rides considered so far may not explain why a journey is missing. So up to ALL_WAYS
  // combinations with the same times are considered.
  if (again.faults.length > 0) {
    again = judgeList(
      ridden.map((one) => one.atLength()),
      shown,
      question,
    )
  }
  add(again.reasons, 'dodges', best.length - ridden.length)
  const where = `(limit ${question.limit}, ${shown.length} shown)`
  return { ...again, faults: again.faults.map((fault) => `${fault} ${where}`) }
}

function add(reasons: Map<ListReason, number>, reason: ListReason, count: number): void {
  reasons.set(reason, (reasons.get(reason) ?? 0) + count)
}

/**
 * Requests a list, or a page of it, and returns it in the form that the list oracle uses. Returns undefined if the
 * origin or destination is outside the network, or if both are at the same location.
 */
async function listOf(
  { ask, slug }: ListGround,
  query: JourneyQuery,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
) {
  const { from, to, seconds, isArriveBy, maxWalkMeters, modes } = query
  const moment = new Date(seconds * 1000).toISOString().replace('.000', '')
  const parameters = new URLSearchParams({
    from: endText(slug, from),
    to: endText(slug, to),
    [isArriveBy ? 'arrive_by' : 'when']: moment,
    max_walk: `${maxWalkMeters}`,
    network: slug,
    limit: `${limit}`,
    ...(modes === undefined ? {} : { modes: modes.join(',') }),
    ...(cursor === undefined ? {} : { cursor }),
  })
  const { data, meta } = await ask(parameters.toString())
  if (meta.reason === 'outside_bounds' || meta.reason === 'same_location') return undefined
  const list = data.map((journey): ShownJourney => ({ ...toListed(journey), id: journey.id }))
  return { list, next: meta.next_cursor }
}

/** The origin or destination of a journey, written as a parameter value for the API. */
export function endText(slug: string, end: PlainEnd): string {
  return end.kind === 'point' ? `${end.lat},${end.lon}` : `${slug}:${end.kind}:${end.id}`
}

/** Converts a journey from a response to the form that the list oracle uses. */
export function toListed(journey: ReceivedJourney): ListedJourney {
  const { departure_at, arrival_at, transfers, walking_seconds, slack_seconds, sections } = journey
  const waits = sections.slice(1).map((section, at): [number, number] => {
    const before = sections[at]?.arrival_at ?? section.departure_at
    return [clockOf(before), clockOf(section.departure_at)]
  })
  return {
    departs: Date.parse(departure_at) / 1000,
    arrives: Date.parse(arrival_at) / 1000,
    transfers,
    walkSeconds: walking_seconds,
    slackSeconds: slack_seconds ?? undefined,
    nightWaitSeconds: nightOf(waits),
    isWalk: sections.every(({ kind }) => kind === 'walk'),
  }
}

/** The local time in a timestamp, in seconds since 1970 as if it were UTC. */
function clockOf(timestamp: string): number {
  return Date.parse(`${timestamp.slice(0, 19)}Z`) / 1000
}

/** How many seconds of these waits are between midnight and 05:00. */
function nightOf(waits: readonly (readonly [number, number])[]): number {
  let sum = 0
  for (const [from, to] of waits) {
    for (let second = from; second < to; second += 60) {
      if (second % DAY_SECONDS < NIGHT_END_SECONDS) sum += Math.min(60, to - second)
    }
  }
  return sum
}

/** One of the oracle's best journeys, with the combinations of rides that have its departure and arrival times. */
interface LookedAt extends BestJourney {
  ridden(): readonly PlainJourney[]
  /** The same journey, but with up to ALL_WAYS combinations of rides. */
  atLength(): LookedAt
}

/**
 * Converts one of the oracle's best journeys to the form that the list oracle uses.
 * @param most maximum number of combinations of rides that are considered
 */
export function bestOf(feed: JourneyFeed, journey: RiddenJourney, most = MOST_WAYS): LookedAt {
  const { departs, arrives, vehicles, ways } = journey
  let known: readonly PlainJourney[] | undefined
  const ridden = (): readonly PlainJourney[] => {
    known ??= Iterator.from(ways()).take(most).toArray()
    if (known.length === 0) throw new Error('the oracle does not find its own journey again')
    return known
  }
  const times = { departs, arrives, transfers: vehicles - 1 }
  return {
    ...times,
    ridden,
    atLength: () => bestOf(feed, journey, ALL_WAYS),
    look: () => ridden().map((way) => ({ ...times, ...detailsOf(feed, way) })),
  }
}

/** The facts that the list oracle uses about one combination of rides. */
function detailsOf(feed: JourneyFeed, { departs, arrives, rides }: PlainJourney) {
  const [first, last] = [rides[0], rides.at(-1)]
  let walkSeconds = (first?.departs ?? departs) - departs + arrives - (last?.arrives ?? arrives)
  let slackSeconds: number | undefined
  const waits: [number, number][] = []
  for (const [at, ride] of rides.entries()) {
    const before = rides[at - 1]
    if (before === undefined || ride.staysSeated) continue
    const [from, to] = [numberOf(feed, before.stopIds.at(-1)), numberOf(feed, ride.stopIds[0])]
    const gap = ride.departs - before.arrives
    const walk = Math.min(gap, changeWalk(feed, from, to))
    const least = feed.changes.between(
      { stop: from, trip: tripOf(feed, before) },
      { stop: to, trip: tripOf(feed, ride) },
    )
    walkSeconds += walk
    slackSeconds = Math.min(slackSeconds ?? Infinity, gap - (least ?? 0))
    waits.push([localOf(feed, before.arrives + walk), localOf(feed, ride.departs)])
  }
  return { walkSeconds, slackSeconds, nightWaitSeconds: nightOf(waits), isWalk: false }
}

function tripOf(feed: JourneyFeed, { tripRef }: PlainJourney['rides'][number]) {
  const id = tripRef.slice('yyyymmdd:'.length).replace(/@\d\d:\d\d:\d\d$/, '')
  const trip = feed.trips[feed.numberOfTrip.get(id) ?? -1]
  if (trip === undefined) throw new Error(`the feed has no trip ${id}`)
  return trip
}

function numberOf({ places }: JourneyFeed, id: string | undefined): number {
  return places.numberOf.get(id ?? '') ?? -1
}

function changeWalk({ places }: JourneyFeed, from: number, to: number): number {
  if (from === to) return 0
  const [start, end] = [places.points[from], places.points[to]]
  if (start === undefined || end === undefined) throw new Error('a ride must end at a stop')
  const inside = places.ways.between.get(places.ids[from] ?? '')?.get(places.ids[to] ?? '')
  return inside ?? secondsWalked(metersWalked(start, end))
}

/** The local time of an instant in the feed's time zone, in seconds since 1970 as if it were UTC. */
function localOf({ zone }: JourneyFeed, seconds: number): number {
  const at = Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(zone)
  return seconds + at.offsetNanoseconds / 1e9
}

/** A readable summary, followed by the first ten faults. */
export function describeLists(name: string, { lists, shown, empty, reasons, faults }: ListsVerdict): string {
  const counts = [...reasons].map(([reason, count]) => `${reason} ${count}`).join(', ')
  return [
    `${name}: ${lists} lists, ${empty} of them empty, ${shown} journeys shown; not shown: ${counts}; ${faults.length} faults`,
    ...faults.slice(0, 10).map((fault) => `  ${fault}`),
  ].join('\n')
}
