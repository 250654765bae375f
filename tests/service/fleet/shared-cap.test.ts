// An account that has a few units left, asked of three replicas at once, and of one of them slowly. It fails if clients are told
// more units than there are, if one is refused to the month's end while others still get units, or if units are left over.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeDatabase, POSTGRES, sayWhatIsLeftOut, type TestDatabase } from '../../databases/test-postgres.ts'
import { bySize } from '../../size.ts'
import { Fleet } from './fleet.ts'

sayWhatIsLeftOut()

const PORT = 19_700
const CAP = 37
const ROUNDS = bySize({ quick: 1, ci: 3, full: 100 })
const FLOOD_CALLS = 1_000
/** By which all units are spent. */
const SPENT_MILLIS = 3_000
const SLOW_MILLIS = 300
const CHEAP = { path: '/v1/networks', units: 1 }
const COSTLY = { path: '/v1/journeys?from=ville:stop:G&to=48.5895,7.7605', units: 5 }
/** Of the answers; on a machine with more work than processors, a control thread may not run for a quarter of a second. */
const LATE_SHARE = 0.02
/** A longer one means: nothing before the month ends. */
const LONGEST_RETRY_SECONDS = 60

/** An answer, with when it was asked for and came. */
interface Answer {
  readonly units: number
  readonly cost: number
  readonly status: number
  readonly retrySeconds: number
  readonly sentMillis: number
  readonly cameMillis: number
}

describe.skipIf(POSTGRES === undefined)('three replicas', () => {
  let database: TestDatabase
  let fleet: Fleet

  beforeAll(async () => {
    database = await makeDatabase()
    fleet = new Fleet({
      databaseUrl: database.url,
      count: 3,
      port: PORT,
      tables: `[plans.free]\nincluded_units = ${CAP}\nrequests_per_second = 0\n`,
    })
    await fleet.start()
  }, 120_000)

  afterAll(async () => {
    await fleet.remove()
    await database.remove()
  })

  test(
    `grant the last ${CAP} units exactly, ${ROUNDS} times`,
    async () => {
      const waits: number[] = []
      let late = 0
      for (let round = 0; round < ROUNDS; round++) {
        const key = await fleet.makeKey(`round-${round}@ville.example`, 'free')
        const answers = await flood(key)
        for (const answer of answers) waits.push(answer.cameMillis - answer.sentMillis)
        late += answers.filter(({ status }) => status === 503).length
        check(answers, round)
      }
      expect(late).toBeLessThanOrEqual(waits.length * LATE_SHARE)
      waits.sort((a, b) => a - b)
      const at = (share: number) => waits[Math.floor(waits.length * share)].toFixed(0)
      console.log(`${ROUNDS} rounds, ${waits.length} answers: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${late} × 503`)
    },
    60_000 + ROUNDS * 10_000,
  )

  /** A thousand calls at once over all replicas, then more of them, and one caller beside them who is slow. */
  async function flood(key: string): Promise<Answer[]> {
    const began = performance.now()
    const answers: Answer[] = []
    const ask = async (replica: number, { path, units: cost }: typeof CHEAP) => {
      const sentMillis = performance.now()
      const headers = { authorization: `Bearer ${key}` }
      const response = await fetch(fleet.replicas[replica].base + path, { headers })
      const body = (await response.json()) as { meta?: { units: number } }
      const units = response.status === 200 ? (body.meta?.units ?? Number.NaN) : 0
      const retrySeconds = Number(response.headers.get('retry-after') ?? 0)
      answers.push({ units, cost, status: response.status, retrySeconds, sentMillis, cameMillis: performance.now() })
    }
    const burst = Array.from({ length: FLOOD_CALLS }, (_, call) => ask(call % 3, call % 4 === 0 ? COSTLY : CHEAP))
    const going = [0, 1].map(async (replica) => {
      while (performance.now() < began + SPENT_MILLIS) await ask(replica, performance.now() % 4 < 1 ? COSTLY : CHEAP)
    })
    const slow = async () => {
      while (performance.now() < began + SPENT_MILLIS) {
        await ask(2, CHEAP)
        await Bun.sleep(SLOW_MILLIS)
      }
    }
    await Promise.all([...burst, ...going, slow()])
    return answers
  }

  function check(answers: readonly Answer[], round: number): void {
    const told = answers.reduce((sum, { units }) => sum + units, 0)
    const others = answers.filter(({ status }) => ![200, 429, 503].includes(status))
    expect({ round, told, others }).toEqual({ round, told: CAP, others: [] })
    const final = answers.filter(({ status, retrySeconds }) => status === 429 && retrySeconds > LONGEST_RETRY_SECONDS)
    expect(final.length).toBeGreaterThan(0)
    for (const { cost, cameMillis } of final) {
      const after = answers.filter(({ sentMillis, units }) => units > 0 && sentMillis > cameMillis)
      const units = after.reduce((sum, answer) => sum + answer.units, 0)
      if (units >= cost) throw new Error(`round ${round}: refused ${cost} to the month's end, ${units} were told later`)
    }
  }
})
