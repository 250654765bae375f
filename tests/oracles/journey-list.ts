// Checks a list of journeys by the rules alone. Each of the day's best journeys must be listed, or a rule must say
// which listed journey replaces it. Shares no code with the product.

/** The properties of a journey that the rules use. Instants are seconds after 1970. */
export interface ListedJourney {
  readonly departs: number
  readonly arrives: number
  readonly transfers: number
  /** Total walking time. */
  readonly walkSeconds: number
  /** The spare time at the tightest transfer; undefined if there is no transfer. */
  readonly slackSeconds: number | undefined
  /** Seconds of waiting at transfers between midnight and five. */
  readonly nightWaitSeconds: number
  /** Whether the journey is on foot only. */
  readonly isWalk: boolean
}

/**
 * The times of one of the best journeys of the day. Several combinations of rides can have these times, and the planner
 * may have applied a rule to any of the combinations. `look` computes their journeys.
 */
export interface BestJourney extends Pick<ListedJourney, 'departs' | 'arrives' | 'transfers'> {
  look(): readonly ListedJourney[]
}

/** The query. */
export interface ListQuestion {
  readonly isArriveBy: boolean
  readonly limit: number
  readonly tightSeconds: number
  /** The journeys that a list with a higher limit has after the end of the checked list. */
  readonly continued: readonly ListedJourney[]
}

/** Why a journey is not shown. */
export type ListReason =
  | 'same'
  | 'long'
  | 'walk'
  | 'changes'
  /** The journey gains at most a few minutes over a shown journey, but loses many minutes. */
  | 'little'
  | 'walking'
  | 'night'
  | 'limit'
  | 'tight'
  | 'beyond'
  /** The rider goes out and back on vehicles to avoid a slow transfer. */
  | 'dodges'

/** The result of checking a list. */
export interface ListVerdict {
  /** Descriptions of broken rules. */
  readonly faults: string[]
  /**
   * Reason → the number of journeys that are not shown for this reason. If several reasons apply, the first one found
   * counts.
   */
  readonly reasons: Map<ListReason, number>
  /**
   * Whether the end of the list could be checked. This requires that the list is full, or that one of the best journeys
   * comes after its end.
   */
  readonly isEndKnown: boolean
}

type Times = Pick<ListedJourney, 'departs' | 'arrives' | 'transfers'>

const QUARTER = 900
const FIVE_MINUTES = 300
const THREE_MINUTES = 180
const MINUTE = 60
const HALF_HOUR = 1800
const TWO_HOURS = 7200

/** Returns a sort function for the order of the list. Journeys that compare as equal may be in any order. */
export function listOrder(isArriveBy: boolean): (a: Times, b: Times) => number {
  return (a, b) =>
    isArriveBy
      ? b.departs - a.departs || a.transfers - b.transfers || a.arrives - b.arrives
      : a.arrives - b.arrives || a.transfers - b.transfers || b.departs - a.departs
}

/**
 * Returns a sort function for the order in which journeys are considered. Only a journey that is considered earlier can
 * remove another one.
 */
export function turnOrder(isArriveBy: boolean): (a: Turn, b: Turn) => number {
  const rank = ({ departs, arrives, transfers }: Turn) => (isArriveBy ? -departs : arrives) + FIVE_MINUTES * transfers
  const other = ({ departs, arrives }: Turn) => (isArriveBy ? arrives : -departs)
  return (a, b) => rank(a) - rank(b) || other(a) - other(b) || a.walkSeconds - b.walkSeconds
}

type Turn = Times & Pick<ListedJourney, 'walkSeconds'>

/**
 * The reason why `shown`, a journey in the list, removes `journey`; undefined if it does not.
 * @param first the first journey in the list
 */
export function reasonToGo(journey: BestJourney, shown: ListedJourney, first?: ListedJourney): ListReason | undefined {
  const duration = journey.arrives - journey.departs
  const other = shown.arrives - shown.departs
  const gap = shown.departs - journey.departs
  if (gap === 0 && shown.arrives === journey.arrives && shown.transfers === journey.transfers) return 'same'
  if (Math.abs(gap) <= TWO_HOURS && duration > 2 * other + HALF_HOUR) return 'long'
  if (shown.isWalk) return duration >= other ? 'walk' : undefined
  const later = shown.arrives - journey.arrives
  const earlier = -gap
  const fewer = journey.transfers - shown.transfers
  if (later > QUARTER || earlier > QUARTER) return undefined
  if (first !== undefined && isChoiceBetween(journey, shown, first)) return undefined
  // `won` and `lost` are the seconds that the journey gains and loses compared with the shown one.
  const won = Math.max(0, later) + Math.max(0, earlier)
  const lost = Math.max(0, -later) + Math.max(0, -earlier)
  const changes = fewer * FIVE_MINUTES
  if (won > Math.max(changes, THREE_MINUTES)) return undefined
  const walks = journey.look().map(({ walkSeconds }) => walkSeconds - shown.walkSeconds)
  if (fewer > 0 && walks.some((more) => 2 * won + Math.max(0, -more) <= 2 * changes)) return 'changes'
  const isLittle = (more: number) => {
    const price = lost + more
    return more >= -MINUTE && price >= FIVE_MINUTES && price >= 3 * won
  }
  if (fewer === 0 && won <= THREE_MINUTES && walks.some(isLittle)) return 'little'
  return won === 0 && walks.some((more) => more + changes > 0) ? 'walking' : undefined
}

/**
 * Whether a journey is worth listing as a choice between the first journey and a shown one. It must have fewer
 * transfers than the first journey and more than the shown one. For each transfer that it saves compared with the first
 * journey, it may lose at most five minutes.
 */
function isChoiceBetween(journey: Times, shown: Times, first: Times): boolean {
  if (first.transfers <= journey.transfers || journey.transfers <= shown.transfers) return false
  const slower = Math.max(0, first.departs - journey.departs) + Math.max(0, journey.arrives - first.arrives)
  return slower <= FIVE_MINUTES * (first.transfers - journey.transfers)
}

/**
 * Checks a list.
 * @param best every journey of the day that no other journey beats
 * @param shown the journeys in the list, in its order
 */
export function judgeList(
  best: readonly BestJourney[],
  shown: readonly ListedJourney[],
  question: ListQuestion,
): ListVerdict {
  const { isArriveBy, limit, continued } = question
  const order = listOrder(isArriveBy)
  const faults: string[] = []
  const reasons = new Map<ListReason, number>()
  const report = (what: string, journey: Times) => faults.push(`${what}: ${timesText(journey)}`)
  const [first] = shown
  const last = shown.at(-1)
  if (shown.length > limit) report('more than the limit', shown[limit])
  for (const [at, journey] of shown.entries()) {
    const before = shown[at - 1]
    if (before !== undefined && order(before, journey) > 0) report('out of order', journey)
    const isKnown = best.some((one) => order(one, journey) === 0)
    if (!journey.isWalk && !isKnown) report('not one of the best', journey)
    if (journey !== first && !journey.isWalk) judgeShown(journey, shown, { isArriveBy, report })
  }
  const open: BestJourney[] = []
  for (const journey of best) {
    const reason = reasonOf(journey, shown, first)
    if (first !== undefined && order(journey, first) < 0) report('better than the first', journey)
    else if (reason !== undefined) count(reasons, reason)
    else if (last !== undefined && order(journey, last) >= 0) open.push(journey)
    // The journey that removed this one may come just after the limit, and so be only in the longer list.
    else if (reasonOf(journey, continued, first) !== undefined) count(reasons, 'beyond')
    else report('missing', journey)
  }
  judgeEnd(open.toSorted(order), shown, { question, reasons, report })
  return { faults, reasons, isEndKnown: shown.length === limit || open.length > 0 }
}

function count(reasons: ListVerdict['reasons'], reason: ListReason): void {
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
}

type Reporter = (what: string, journey: Times) => void

/** Reports a shown journey if it waits too long at night, or if a rule removes it because of another shown journey. */
function judgeShown(
  journey: ListedJourney,
  shown: readonly ListedJourney[],
  { isArriveBy, report }: { readonly isArriveBy: boolean; readonly report: Reporter },
): void {
  const turns = turnOrder(isArriveBy)
  const itself = { ...journey, look: () => [journey] }
  if (journey.nightWaitSeconds > TWO_HOURS) report('waits at night', journey)
  for (const [at, other] of shown.entries()) {
    if (other === journey) continue
    const isBefore = at === 0 || other.isWalk || turns(other, journey) < 0
    const reason = isBefore ? reasonToGo(itself, other, shown[0]) : undefined
    if (reason !== undefined) report(`${reason}, but shown next to ${timesText(other)}`, journey)
  }
}

function reasonOf(
  journey: BestJourney,
  shown: readonly ListedJourney[],
  first: ListedJourney | undefined,
): ListReason | undefined {
  for (const other of shown) {
    const reason = reasonToGo(journey, other, first)
    if (reason !== undefined) return reason
  }
  const waits = shown.length > 0 && journey.look().some(({ nightWaitSeconds }) => nightWaitSeconds > TWO_HOURS)
  return waits ? 'night' : undefined
}

/**
 * Reports a list that ends before its limit, or a full list that ends with a tight transfer. If the last journey would
 * have a tight transfer, the list must end one journey before its limit.
 */
function judgeEnd(
  open: readonly BestJourney[],
  shown: readonly ListedJourney[],
  {
    question: { limit, tightSeconds, continued },
    reasons,
    report,
  }: { readonly question: ListQuestion; readonly reasons: ListVerdict['reasons']; readonly report: Reporter },
): void {
  const [next] = open
  const last = shown.at(-1)
  if (shown.length === limit && limit > 1 && isTight(last, tightSeconds))
    report('ends on a tight change', last as Times)
  if (next === undefined) return
  const isFull = shown.length === limit
  // Different combinations of rides can have the times of `next`. If there is a longer list, its combination counts.
  const ways = continued[0] === undefined ? next.look() : [continued[0]]
  const endsBefore = shown.length === limit - 1 && shown.length > 0 && ways.some((way) => isTight(way, tightSeconds))
  if (!isFull && !endsBefore) report('missing at the end', next)
  else count(reasons, isFull ? 'limit' : 'tight')
}

function isTight(journey: ListedJourney | undefined, tightSeconds: number): boolean {
  return journey?.slackSeconds !== undefined && journey.slackSeconds < tightSeconds
}

function timesText({ departs, arrives, transfers }: Times): string {
  const clock = (seconds: number) => new Date(seconds * 1000).toISOString().slice(5, 19)
  return `${clock(departs)} to ${clock(arrives)} with ${transfers} changes`
}
