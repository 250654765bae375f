// Tests that the list oracle accepts lists made by the rules, and detects every rule that is broken on purpose.
import { expect, test } from 'bun:test'
import { type Dice, diceOf } from '../board-questions.ts'
import { SEED } from '../size.ts'
import {
  type BestJourney,
  judgeList,
  type ListedJourney,
  type ListQuestion,
  listOrder,
  turnOrder,
} from './journey-list.ts'

const LISTS = 2500

/** Ways in which `makeList` breaks the rules. */
interface Broken {
  /** A journey is also removed because of journeys that are not shown. */
  readonly toAll?: boolean
  /**
   * A journey can remove another only if it leaves at most this number of seconds earlier and arrives at most this
   * number of seconds later.
   */
  readonly nearbySeconds?: number
  readonly changeSeconds?: number
  readonly longBySeconds?: number
  readonly sameTimeSeconds?: number
  readonly keepsWorseThanWalk?: boolean
  readonly keepsFarWalks?: boolean
  /** The number of seconds of travel that one second of walking is worth. */
  readonly walkWorth?: number
  /**
   * A gain of at most `least` seconds is small. A loss is large if it is at least `most` seconds and at least `times`
   * the gain.
   */
  readonly little?: readonly [least: number, most: number, times: number]
  /** Additional walking up to this number of seconds does not count. */
  readonly sameWalkSeconds?: number
  readonly keepsNights?: boolean
  readonly losesFirst?: boolean
  /** A journey with fewer transfers than the first one is removed, although riders may prefer it to the first. */
  readonly dropsBetween?: boolean
  readonly order?: (a: ListedJourney, b: ListedJourney) => number
  readonly turns?: typeof turnOrder
  /** How many journeys with a tight transfer are cut off at the end of the list. By the rules, one. */
  readonly cuts?: number
  readonly hasHole?: boolean
}

function goesBy(journey: ListedJourney, other: ListedJourney, first: ListedJourney, broken: Broken): boolean {
  const { longBySeconds = 1800, sameTimeSeconds = 7200 } = broken
  const [duration, least] = [journey, other].map(({ departs, arrives }) => arrives - departs)
  const gap = Math.abs(other.departs - journey.departs)
  if (gap <= sameTimeSeconds && duration > 2 * least + longBySeconds) return true
  if (other.isWalk) return duration >= least && broken.keepsWorseThanWalk !== true
  const fewer = first.transfers - journey.transfers
  const slower = Math.max(first.departs - journey.departs, 0) + Math.max(journey.arrives - first.arrives, 0)
  const isBetween = fewer > 0 && journey.transfers > other.transfers && slower <= 300 * fewer
  if (isBetween && broken.dropsBetween !== true) return false
  return losesTo(journey, other, broken)
}

/** Whether `other` is better than `journey` by the rules. */
function losesTo(journey: ListedJourney, other: ListedJourney, broken: Broken): boolean {
  const { nearbySeconds = 900, changeSeconds = 300 } = broken
  if (other.arrives > journey.arrives + nearbySeconds || other.departs < journey.departs - nearbySeconds) return false
  const worth = (journey.transfers - other.transfers) * changeSeconds
  const [later, sooner] = [journey.departs - other.departs, other.arrives - journey.arrives]
  const saved = Math.max(later, 0) + Math.max(sooner, 0)
  const lost = Math.max(-later, 0) + Math.max(-sooner, 0)
  const strolls = other.walkSeconds - journey.walkSeconds
  const { walkWorth = 0.5, little = [180, 300, 3], sameWalkSeconds = 60 } = broken
  if (worth > 0 && saved + walkWorth * Math.max(strolls, 0) <= worth) return true
  const isLittle = worth === 0 && saved <= little[0] && strolls <= sameWalkSeconds
  if (isLittle && lost - strolls >= Math.max(little[1], little[2] * saved)) return true
  return saved === 0 && strolls < worth && broken.keepsFarWalks !== true
}

/** Returns an order that breaks ties between journeys of equal rank differently from the rules. */
function tied({ byDeparture, byWalk }: { byDeparture: number; byWalk: number }): typeof turnOrder {
  return (isArriveBy) => (a, b) => {
    const [one, other] = [a, b].map(({ departs, arrives, transfers }) =>
      isArriveBy
        ? { rank: 300 * transfers - departs, end: arrives }
        : { rank: 300 * transfers + arrives, end: -departs },
    )
    const byEnd = byDeparture * (one.end - other.end)
    return one.rank - other.rank || byEnd || byWalk * (a.walkSeconds - b.walkSeconds)
  }
}

function makeList(all: readonly ListedJourney[], question: Omit<ListQuestion, 'continued'>, broken: Broken) {
  const { isArriveBy, limit, tightSeconds } = question
  const order = broken.order ?? listOrder(isArriveBy)
  const [first] = all.toSorted(listOrder(isArriveBy))
  const kept = new Set(all.filter((one) => (one === first && broken.losesFirst !== true) || one.isWalk))
  for (const one of all.toSorted(broken.turns?.(isArriveBy) ?? turnOrder(isArriveBy))) {
    const others = broken.toAll === true ? all : [...kept]
    const isByNight = one.nightWaitSeconds > 7200 && broken.keepsNights !== true
    if (!isByNight && !others.some((other) => other !== one && goesBy(one, other, first, broken))) kept.add(one)
  }
  const whole = all.filter((one) => kept.has(one)).toSorted(order)
  if (broken.hasHole === true) whole.splice(1, 1)
  let end = Math.min(limit, whole.length)
  for (let cut = 0; cut < (broken.cuts ?? 1) && end > 1 && (cut > 0 || end === limit); cut++) {
    if ((whole[end - 1]?.slackSeconds ?? Infinity) >= tightSeconds) break
    end--
  }
  return { shown: whole.slice(0, end), continued: whole.slice(end) }
}

/** Random journeys of which none beats another. Sometimes a walk is added. */
function randomDay(dice: Dice): ListedJourney[] {
  // If times are multiples of a long step, many journeys have equal rank.
  const [step, steps] = dice.below(2) === 0 ? [300, 30] : [60, 600]
  const some = Array.from({ length: 4 + dice.below(16) }, (): ListedJourney => {
    const transfers = dice.below(4)
    const departs = step * dice.below(steps)
    const isLong = dice.below(4) === 0
    return {
      departs,
      arrives: departs + step * Math.ceil((8 + dice.below(isLong ? 200 : 30)) / (step / 60)),
      transfers,
      walkSeconds: 60 * dice.below(40),
      slackSeconds: transfers === 0 ? undefined : dice.below(4) * 40,
      nightWaitSeconds: isLong && transfers > 0 ? dice.below(10_000) : 0,
      isWalk: false,
    }
  })
  const more = [() => [], () => some.map((one) => closelyAfter(one, dice)), () => fewerChanges(some[0], dice)]
  const all = [...some, ...more[dice.below(more.length)]()]
  const isBeaten = (one: ListedJourney) =>
    all.some(
      (other) =>
        other !== one &&
        other.departs >= one.departs &&
        other.arrives <= one.arrives &&
        other.transfers <= one.transfers,
    )
  const best = all.filter((one) => !isBeaten(one))
  if (dice.below(3) > 0) return best
  const duration = 60 * (10 + dice.below(15))
  const times = { departs: 0, arrives: duration, transfers: 0, walkSeconds: duration }
  return [...best, { ...times, slackSeconds: undefined, nightWaitSeconds: 0, isWalk: true }]
}

/**
 * A journey like another one, with about as much walking. It leaves at most a few minutes later and arrives some
 * minutes later.
 */
function closelyAfter(journey: ListedJourney, dice: Dice): ListedJourney {
  const { departs, arrives, walkSeconds } = journey
  return {
    ...journey,
    departs: departs + 30 * dice.below(8),
    arrives: arrives + 60 * (1 + dice.below(10)),
    walkSeconds: Math.max(0, walkSeconds + 30 * (dice.below(8) - 3)),
  }
}

/**
 * Journeys that leave at the same time as `journey` and arrive some minutes after it. Each has one transfer fewer than
 * the previous one.
 */
function fewerChanges(journey: ListedJourney, dice: Dice): ListedJourney[] {
  const { arrives, transfers } = journey
  return Array.from({ length: transfers }, (_, at) => ({
    ...journey,
    arrives: arrives + (at + 1) * 30 * (1 + dice.below(8)),
    transfers: transfers - at - 1,
    slackSeconds: at + 1 === transfers ? undefined : 0,
  }))
}

/** The faults that the oracle finds in lists that are made with broken rules. */
function* faultsOf(broken: Broken): Generator<string> {
  const dice = diceOf(SEED)
  for (let list = 0; list < LISTS; list++) {
    const isArriveBy = dice.below(2) === 0
    const all = randomDay(dice).map((one) => (isArriveBy ? mirrored(one) : one))
    const question = { isArriveBy, limit: 1 + dice.below(6), tightSeconds: 60 }
    const { shown, continued } = makeList(all, question, broken)
    const best = all.filter(({ isWalk }) => !isWalk).map((one): BestJourney => ({ ...one, look: () => [one] }))
    yield* judgeList(best, shown, { ...question, continued }).faults
  }
}

/** A journey with time reversed: a walk that left at the requested time now arrives at that time. */
function mirrored(journey: ListedJourney): ListedJourney {
  return { ...journey, departs: 36_000 - journey.arrives, arrives: 36_000 - journey.departs }
}

test(`lists that follow the rules have no fault (seed ${SEED})`, () => {
  expect([...faultsOf({})]).toEqual([])
})

test(`every broken rule is detected (seed ${SEED})`, () => {
  const ways: Record<string, Broken> = {
    'a journey is removed because of one that is not shown': { toAll: true },
    'a journey is removed because of a distant one': { nearbySeconds: 7200, changeSeconds: 2400 },
    'a journey is only removed because of a very near one': { nearbySeconds: 60 },
    'a change is worth more time': { changeSeconds: 600 },
    'a change is worth nothing': { changeSeconds: 0 },
    'long journeys are kept': { longBySeconds: 360_000 },
    'long journeys are removed too early': { longBySeconds: 0 },
    'long journeys are compared with those of other hours': { sameTimeSeconds: 36_000 },
    'journeys slower than the walk are kept': { keepsWorseThanWalk: true },
    'long walks are kept': { keepsFarWalks: true },
    'less walking is worth nothing': { walkWorth: 0 },
    'less walking is worth as much as time': { walkWorth: 1 },
    'larger gains count as small': { little: [600, 300, 3] },
    'no gain counts as small': { little: [-1, 300, 3] },
    'twice the gain counts as many times the gain': { little: [180, 300, 2] },
    'a loss of two minutes counts as large': { little: [180, 120, 3] },
    'more walking counts as equal': { sameWalkSeconds: 600 },
    'waits at night are kept': { keepsNights: true },
    'the first journey is left out': { losesFirst: true },
    'a journey between the first and a direct one is removed': { dropsBetween: true },
    'the later departure comes first': { order: (a, b) => a.arrives - b.arrives || b.departs - a.departs },
    'the fewest changes come first': { order: (a, b) => a.transfers - b.transfers || a.arrives - b.arrives },
    'at equal rank, the earlier departure is considered first': { turns: tied({ byDeparture: -1, byWalk: 1 }) },
    'at equal rank and departure, the longer walk is considered first': { turns: tied({ byDeparture: 1, byWalk: -1 }) },
    'tight ends are kept': { cuts: 0 },
    'tight ends are cut off twice': { cuts: 2 },
    'one journey is missing': { hasHole: true },
  }
  const missed = Object.keys(ways).filter((way) => faultsOf(ways[way] ?? {}).next().done)
  expect(missed).toEqual([])
})
