// The client in a storm. It requests boards and other data at a steady rate, checks each response, compares boards with
// the expected ones, and counts each unit. Like any client, it sends a request a second time if the connection is lost.
import { pick, type Random } from '../../src/demo/seeded-random.ts'
import type { TextBoards } from '../oracles/text-boards.ts'
import { listOf, objectOf, toRow } from '../replayed-boards.ts'
import type { LiveModel } from './live-model.ts'
import type { StormTally } from './storm-tally.ts'

const TIMEOUT_MILLIS = 10_000
const LATE_MILLIS = 1_000
const RETRY_MILLIS = 20
const DAY_SECONDS = 86_400
/** The default horizon of boards. */
const HORIZON_MINUTES = 60
const LIMIT = 10
const MOST_HORIZON = 170

/** A network in a storm, with what is needed to request its data and to check the responses. */
export interface StormNetwork {
  readonly id: string
  readonly boards: TextBoards
  /** Stops at which riders can board. */
  readonly stopIds: readonly string[]
  /** The expected live boards; undefined without a live feed. */
  readonly live: LiveModel | undefined
  /**
   * Days that the timetable covers and for which no live feed reports anything. Each is given by its start in UTC, in
   * Unix seconds.
   */
  readonly days: readonly number[]
  /** Names and points to search for. */
  readonly names: readonly string[]
  readonly points: readonly string[]
}

/** A response that was read completely. */
interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  /** The true time just before the request was sent, in Unix seconds. */
  readonly sentSeconds: number
}

/** A request to send. */
interface Call {
  readonly what: string
  readonly path: string
  /** The units that the call costs if it succeeds. */
  readonly units: number
  readonly isBoard?: boolean
  /** Returns what is wrong with the response; undefined if nothing is. */
  readonly check: (answer: Answer) => string | undefined
}

/** Sends requests until it is stopped. */
export class StormClient {
  private readonly base: string
  private readonly key: string
  private readonly networks: readonly StormNetwork[]
  private readonly random: Random
  private readonly tally: StormTally
  private isOver = false
  private readonly underWay = new Set<Promise<void>>()
  /** By how many milliseconds the service's clock is off. */
  shiftMillis = () => 0

  constructor(
    service: { readonly base: string; readonly key: string },
    parts: { readonly networks: readonly StormNetwork[]; readonly random: Random; readonly tally: StormTally },
  ) {
    this.base = service.base
    this.key = service.key
    this.networks = parts.networks
    this.random = parts.random
    this.tally = parts.tally
  }

  /** Sends calls at this rate, without waiting for their responses. */
  async run(perSecond: number): Promise<void> {
    const started = performance.now()
    for (let number = 0; !this.isOver; number++) {
      const due = started + (number * 1000) / perSecond
      const wait = due - performance.now()
      if (wait > 1) await Bun.sleep(wait)
      if (performance.now() - due > LATE_MILLIS) this.tally.lateCalls++
      const done = this.send(this.nextCall(), performance.now()).finally(() => this.underWay.delete(done))
      this.underWay.add(done)
    }
    await Promise.all(this.underWay)
  }

  stop(): void {
    this.isOver = true
  }

  private nextCall(): Call {
    const { random } = this
    const network = pick(random, this.networks)
    const dice = random()
    if (dice < 0.45) return this.scheduledBoard(network)
    if (dice < 0.7)
      return network.live === undefined ? this.scheduledBoard(network) : this.liveBoard(network, network.live)
    return this.anyOther(network)
  }

  /** A call for a board on a day for which no live feed reports anything. */
  private scheduledBoard({ id, boards, stopIds, days }: StormNetwork): Call {
    const { random } = this
    const stopId = pick(random, stopIds)
    const fromSeconds = pick(random, days) + Math.floor(random() * DAY_SECONDS)
    const minutes = 5 + Math.floor(random() * MOST_HORIZON)
    const when = new Date(fromSeconds * 1000).toISOString().replace('.000', '')
    const path = `/v1/stops/${encodeURIComponent(`${id}:stop:${stopId}`)}/departures`
    return {
      what: 'scheduled boards',
      path: `${path}?when=${when}&horizon=${minutes}&limit=${LIMIT}`,
      units: 1,
      isBoard: true,
      check: ({ body }) => {
        const toSeconds = fromSeconds + minutes * 60
        const expected = boards.board({ stopIds: [stopId], fromSeconds, toSeconds, limit: LIMIT })
        const rows = listOf(body['data']).map(toRow)
        const got = rows.map(({ trip_id, line_id, headsign, scheduled }) =>
          [trip_id, line_id, headsign, scheduled].join(' | '),
        )
        const right = expected.map(({ trip_id, line_id, headsign, seconds }) =>
          [trip_id, line_id, headsign, seconds].join(' | '),
        )
        return got.join('\n') === right.join('\n') ? undefined : `${path} at ${when}: ${got[0]} …, not ${right[0]} …`
      },
    }
  }

  private liveBoard({ id, stopIds }: StormNetwork, live: LiveModel): Call {
    const stopId = pick(this.random, stopIds)
    const path = `/v1/stops/${encodeURIComponent(`${id}:stop:${stopId}`)}/departures?limit=${LIMIT}`
    return {
      what: 'live boards',
      path,
      units: 1,
      isBoard: true,
      check: ({ body, sentSeconds }) => {
        const from = Date.parse(String(objectOf(body['meta'])['generated_at'])) / 1000
        const shift = Math.abs(from - sentSeconds - this.shiftMillis() / 1000)
        if (Number.isNaN(from)) return `no generated_at: ${JSON.stringify(body['meta'])}`
        const rows = listOf(body['data']).map(toRow)
        const board = { stopId, fromSeconds: from, toSeconds: from + HORIZON_MINUTES * 60, limit: LIMIT, rows }
        const difference = live.differenceOf(board, sentSeconds)
        return difference && `${path} at ${from} (clock off by ${shift.toFixed(0)} s): ${difference}`
      },
    }
  }

  /** A call to one of the other routes. Its response is checked for what the API guarantees for all responses. */
  private anyOther({ id, stopIds, names, points }: StormNetwork): Call {
    const { random } = this
    const stop = () => encodeURIComponent(`${id}:stop:${pick(random, stopIds)}`)
    const calls: readonly (readonly [path: string, units: number])[] = [
      [`/v1/stops/${stop()}`, 1],
      [`/v1/stops/nearby?near=${pick(random, points)}`, 1],
      [`/v1/departures/nearby?near=${pick(random, points)}`, 1],
      [`/v1/places?q=${encodeURIComponent(pick(random, names).slice(0, 5))}`, 1],
      [`/v1/networks/${id}/lines`, 1],
      ['/v1/networks', 1],
      [`/v1/journeys?from=${stop()}&to=${stop()}&limit=2`, 5],
    ]
    const [path, units] = pick(random, calls)
    const check = ({ body }: Answer) => {
      const meta = objectOf(body['meta'])
      if (!Array.isArray(body['data']) && typeof body['data'] !== 'object') return `${path} has no data`
      return meta['units'] === units ? undefined : `${path} costs ${JSON.stringify(meta['units'])}, not ${units}`
    }
    return { what: 'others', path, units, check }
  }

  private async send(call: Call, dueMillis: number): Promise<void> {
    const { tally } = this
    let failure: string | undefined
    for (let attempt = 0; attempt < 2; attempt++) {
      const answer = await this.fetch(call).catch((error: unknown) => String(error))
      failure = typeof answer === 'string' ? `${call.path}: ${answer}` : this.judge(call, answer)
      if (typeof answer !== 'string' || attempt > 0) break
      tally.retries++
      await Bun.sleep(RETRY_MILLIS)
    }
    if (call.isBoard === true) tally.countBoard(dueMillis, failure)
  }

  /**
   * Sends a request. Throws if the connection is lost. In this case, it is unknown whether the request's units were
   * charged.
   */
  private async fetch({ path, units }: Call): Promise<Answer> {
    const { tally } = this
    tally.unanswered += units
    const sentSeconds = Date.now() / 1000
    const answer = await fetch(this.base + path, {
      headers: { authorization: `Bearer ${this.key}` },
      signal: AbortSignal.timeout(TIMEOUT_MILLIS),
    })
    const body = objectOf(JSON.parse(await answer.text()))
    tally.unanswered -= units
    if (answer.status === 200) tally.reported += Number(objectOf(body['meta'])['units'])
    return { status: answer.status, body, sentSeconds }
  }

  /** Checks a response and counts the result. Returns the status and the reason, or undefined if the status is 200. */
  private judge({ what, path, check, isBoard }: Call, answer: Answer): string | undefined {
    const { status, body } = answer
    if (status === 200) {
      this.tally.check(what, check(answer))
      return undefined
    }
    const why = `${status} ${String(body['reason'] ?? body['title'])}`
    const isExpected = status === 503 && isBoard !== true
    if (isExpected) this.tally.refuse(`${path.split('?')[0]?.split('/')[2]} ${why}`)
    else this.tally.check(what, `${path} returned ${why}: ${JSON.stringify(body).slice(0, 200)}`)
    return why
  }
}
