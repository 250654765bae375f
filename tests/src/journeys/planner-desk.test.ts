// Tests how a data thread sends queries to its planner (PlannerDesk): the order of queries, deadlines, and a planner
// that hangs. The test controls the planner.
import { describe, expect, test } from 'bun:test'
import { Problem } from '../../../src/http/problem.ts'
import { FairQueue } from '../../../src/journeys/fair-queue.ts'
import { PlannerDesk, type PlannerStarter } from '../../../src/journeys/planner-desk.ts'
import type {
  FromPlanner,
  JourneyOutcome,
  JourneyQuestion,
  PlannerQuestion,
  ToPlanner,
} from '../../../src/journeys/planner-messages.ts'
import type { NetworkMessage } from '../../../src/networks/network-messages.ts'

const NETWORK: NetworkMessage = {
  settings: { id: 'ville', name: 'Ville', city: 'Ville', attribution: [] },
  snapshot: undefined,
  lastError: undefined,
}
const NEVER = new AbortController().signal

function question(label: string): JourneyQuestion {
  const from = { lat: 48, lon: 7, place: undefined, label }
  return {
    from,
    to: from,
    network: 'ville',
    seconds: 0,
    isArriveBy: false,
    modes: undefined,
    maxWalkMeters: 1000,
    mayWalkFarther: false,
    maxTransfers: 6,
    limit: 3,
    include: undefined,
    nowSeconds: 0,
  }
}

const labelOf = (requested: PlannerQuestion | undefined) =>
  requested !== undefined && 'from' in requested ? requested.from.label : undefined

function outcome(data: string): JourneyOutcome {
  return { kind: 'journeys', data, count: 1, isRealtime: false, reason: undefined, maxWalkMeters: 1000 }
}

/** Planners that record every message and answer only when a test makes them. */
class Planners {
  readonly reported: ToPlanner[][] = []
  ended = 0
  private readonly talk: ((message: FromPlanner) => void)[] = []

  readonly start: PlannerStarter = (onMessage) => {
    const reported: ToPlanner[] = []
    this.reported.push(reported)
    this.talk.push(onMessage)
    return {
      post: (message) => reported.push(message),
      end: () => {
        this.ended++
      },
    }
  }

  wake(): void {
    this.talk.at(-1)?.({ kind: 'awake' })
  }

  /** Makes a planner fail, by default the newest. */
  fail(message: string, number = -1): void {
    this.talk.at(number)?.({ kind: 'failed', message })
  }

  send(message: FromPlanner): void {
    this.talk.at(-1)?.(message)
  }

  /** The last query that the newest planner received. */
  get requested(): Extract<ToPlanner, { kind: 'plan' }> | undefined {
    return this.reported.at(-1)?.findLast((message) => message.kind === 'plan')
  }

  answer(): void {
    const { number, question: requested } = this.requested ?? {}
    if (number === undefined || requested === undefined) throw new Error('there is no query')
    this.talk.at(-1)?.({ kind: 'planned', number, outcome: outcome(labelOf(requested) ?? '') })
  }
}

function deskOf(planners: Planners) {
  return new PlannerDesk([NETWORK], planners.start)
}

describe('a desk', () => {
  test('sends queries one at a time once the planner is ready, and returns the responses', async () => {
    const planners = new Planners()
    const desk = deskOf(planners)
    const answers = ['1', '2'].map((from) => desk.plan('k', question(from), NEVER))
    expect(planners.requested).toBeUndefined()
    planners.wake()
    expect(planners.reported[0]?.map(({ kind }) => kind)).toEqual(['start', 'plan'])
    planners.answer()
    expect(await answers[0]).toEqual(outcome('1'))
    planners.answer()
    expect(await answers[1]).toEqual(outcome('2'))
  })

  test('lets keys take turns', async () => {
    const planners = new Planners()
    const desk = deskOf(planners)
    planners.wake()
    const answers = [1, 2, 3].map((at) => desk.plan('busy', question(`busy${at}`), NEVER))
    answers.push(desk.plan('other', question('other'), NEVER))
    const order = []
    for (let at = 0; at < 4; at++) {
      order.push(labelOf(planners.requested?.question))
      planners.answer()
    }
    expect(order).toEqual(['busy1', 'busy2', 'other', 'busy3'])
    await Promise.all(answers)
  })

  test('serves other queries while days are laid out for one, whose time limit starts afterwards', async () => {
    const planners = new Planners()
    const desk = new PlannerDesk([NETWORK], planners.start, 200)
    planners.wake()
    const first = desk.plan('k', question('cold'), NEVER)
    const { number = 0 } = planners.requested ?? {}
    planners.send({ kind: 'waits', number })
    const other = desk.plan('k', question('warm'), NEVER)
    expect(labelOf(planners.requested?.question)).toBe('warm')
    planners.answer()
    expect(await other).toEqual(outcome('warm'))
    await Bun.sleep(500)
    planners.send({ kind: 'ready', number })
    expect([planners.requested?.number, planners.requested?.hasWaited]).toEqual([number, true])
    planners.answer()
    expect(await first).toEqual(outcome('cold'))
    desk.close()
  })

  test('its client can abandon a waiting query; the next planner takes it if this one crashes', async () => {
    const planners = new Planners()
    const desk = deskOf(planners)
    planners.wake()
    const gone = new AbortController()
    const answers = [desk.plan('k', question('1'), gone.signal)]
    planners.send({ kind: 'waits', number: planners.requested?.number ?? 0 })
    answers.push(desk.plan('k', question('2'), NEVER))
    planners.send({ kind: 'waits', number: planners.requested?.number ?? 0 })
    gone.abort()
    expect(await answers[0]).toBeInstanceOf(Problem)
    answers.push(desk.plan('k', question('3'), NEVER))
    planners.fail('boom')
    expect(await answers[2]?.catch(({ message }: Error) => message)).toBe('the planner failed: boom')
    planners.wake()
    expect([labelOf(planners.requested?.question), planners.requested?.hasWaited]).toEqual(['2', false])
    planners.answer()
    expect(await answers[1]).toEqual(outcome('2'))
    desk.close()
  })

  test('withdraws a query that no client waits for any more', async () => {
    const planners = new Planners()
    const desk = deskOf(planners)
    planners.wake()
    const gone = new AbortController()
    const answers = [desk.plan('k', question('1'), NEVER), desk.plan('k', question('2'), gone.signal)]
    answers.push(desk.plan('k', question('3'), NEVER))
    gone.abort()
    expect(await answers[1]).toBeInstanceOf(Problem)
    planners.answer()
    expect(labelOf(planners.requested?.question)).toBe('3')
    planners.answer()
    await Promise.all(answers)
  })

  test('times out, ends a planner that hangs, and starts another with the full state', async () => {
    const planners = new Planners()
    const desk = new PlannerDesk([NETWORK], planners.start, 200)
    planners.wake()
    const started = performance.now()
    const answers = await Promise.all(['1', '2'].map((from) => desk.plan('k', question(from), NEVER)))
    expect(performance.now() - started).toBeLessThan(200 + 400)
    expect(answers.map((answer) => (answer instanceof Problem ? answer.reason : ''))).toEqual([
      'planner_timeout',
      'planner_timeout',
    ])
    expect([planners.ended, planners.reported.length]).toEqual([1, 2])
    planners.wake()
    expect(planners.reported[1]?.map(({ kind }) => kind)).toEqual(['start'])
    const after = desk.plan('k', question('3'), NEVER)
    planners.answer()
    expect(await after).toEqual(outcome('3'))
    desk.close()
  })

  test('only the query that crashes the planner fails: another planner takes the waiting ones', async () => {
    const planners = new Planners()
    const desk = deskOf(planners)
    planners.wake()
    const answers = ['1', '2'].map((from) => desk.plan('k', question(from), NEVER))
    planners.fail('boom')
    expect(await answers[0]?.catch(({ message }: Error) => message)).toBe('the planner failed: boom')
    expect([planners.ended, planners.reported.length]).toEqual([1, 2])
    // Messages from a planner that has been ended are ignored.
    planners.fail('boom again', 0)
    planners.wake()
    expect(labelOf(planners.requested?.question)).toBe('2')
    planners.answer()
    expect(await answers[1]).toEqual(outcome('2'))
    desk.close()
  })

  test('rejects queries that could not be answered in time', async () => {
    const planners = new Planners()
    const desk = deskOf(planners)
    const answers = Array.from({ length: 513 }, (_, at) => desk.plan('k', question(`${at}`), NEVER))
    const last = await answers[512]
    expect(last instanceof Problem ? last.reason : '').toBe('overloaded')
    planners.wake()
    for (let at = 0; at < 512; at++) planners.answer()
    expect((await Promise.all(answers)).length).toBe(513)
  })
})

test('a queue counts what is taken, removed and abandoned', () => {
  const queue = new FairQueue<number>({ ofKey: 2, ofAll: 3 })
  expect([queue.add('a', 1), queue.add('a', 2), queue.add('a', 3)]).toEqual([true, true, false])
  expect([queue.add('b', 4), queue.add('c', 5)]).toEqual([true, false])
  expect(queue.remove('a', 9)).toBe(false)
  expect(queue.takeWhile((item) => item === 1)).toEqual([1])
  expect(queue.size).toBe(2)
  expect([queue.take(), queue.take(), queue.take()]).toEqual([2, 4, undefined])
  expect(queue.size).toBe(0)
})
