// Tests units and rates at their limits, over HTTP, on two data threads: a thousand simultaneous calls for the last 37
// units, the refusals, and the limits in the headers of every response. Fails if a unit is granted twice, if a unit is
// left over that a refused call could have used, or if a reported number differs from the ledger.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readBody } from '../event-stream.ts'
import { bySize } from '../size.ts'
import { makeAccounts } from './keyed-accounts.ts'
import { commandOf, end, ServiceFolder, type Serving } from './running.ts'

const PORT = 19_100
const ROUNDS = bySize({ quick: 1, ci: 8, full: 100 })
const CALLS = 1_000
const INCLUDED = 50
const LEFT = 37
const PLANS = `
[plans.starter]
included_units = ${INCLUDED}
requests_per_second = 0
[plans.pay_as_you_go]
included_units = 10
requests_per_second = 0
overage_unit_amount_decimal = "0.5"
[plans.free]
included_units = 1000
requests_per_second = 2
burst = 5
`
const BOARD = '/v1/stops/ville:stop:CA/departures'
const JOURNEY = '/v1/journeys?from=ville:stop:G&to=48.5895,7.7605'

let folder: ServiceFolder
let serving: Serving
let keys: string[]

beforeAll(async () => {
  folder = new ServiceFolder(commandOf('source'))
  appendFileSync(join(folder.folder, 'quai.toml'), PLANS)
  const rounds = Array.from({ length: 2 * ROUNDS }, (_, at) => ({
    email: `round-${at}@a.example`,
    plan: 'starter' as const,
  }))
  const made = await makeAccounts(folder.folder, [
    { email: 'buyer@a.example', plan: 'pay_as_you_go', spendCapCents: 5 },
    { email: 'careful@a.example', plan: 'pay_as_you_go', spendCapCents: 0 },
    { email: 'fast@a.example', plan: 'free' },
    { email: 'counter@a.example', plan: 'starter' },
    ...rounds,
  ])
  keys = made.map(({ key }) => key)
  serving = await folder.serve({ workers: 2, port: PORT })
}, 60_000)

afterAll(async () => {
  await end(serving)
  rmSync(folder.folder, { recursive: true })
})

async function ask(key: string | undefined, path: string, init: RequestInit = {}) {
  const headers = new Headers(init.headers)
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`)
  const answer = await fetch(serving.base + path, { ...init, headers })
  const text = await readBody(answer)
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
}

type Answer = Awaited<ReturnType<typeof ask>>

/** The values of a policy in the RateLimit header; undefined if the header does not list the policy. */
function limitOf(answer: Answer, policy: 'burst' | 'units') {
  const match = new RegExp(`"${policy}";r=(\\d+);t=(\\d+)`).exec(answer.headers.get('ratelimit') ?? '')
  return match === null ? undefined : { left: Number(match[1]), seconds: Number(match[2]) }
}

/** Seconds until the end of the current month (UTC). */
function secondsToMonthEnd(): number {
  const now = new Date()
  return (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - now.getTime()) / 1000
}

/**
 * Makes a thousand calls at once while `LEFT` units are left. Returns the number of granted units and the cost of the
 * cheapest refused call.
 */
async function race(key: string, paths: readonly string[]) {
  for (let unit = 0; unit < INCLUDED - LEFT; unit++) expect((await ask(key, BOARD)).status).toBe(200)
  const answers = await Promise.all(
    Array.from({ length: CALLS }, async (_, call) => {
      const path = paths[call % paths.length] ?? ''
      return { path, answer: await ask(key, path) }
    }),
  )
  let granted = 0
  let cheapestRefused = Number.POSITIVE_INFINITY
  for (const { path, answer } of answers) {
    if (answer.status === 200) granted += answer.body.meta.units
    else {
      expect(answer.body).toMatchObject({ status: 429, reason: 'quota_exhausted', code: 'QUOT3-2429' })
      cheapestRefused = Math.min(cheapestRefused, path === JOURNEY ? 5 : 1)
    }
  }
  const { data } = (await ask(key, '/v1/usage')).body
  expect(data).toMatchObject({ included_units: INCLUDED, units: INCLUDED - LEFT + granted, remaining: LEFT - granted })
  expect(data.keys.map((each: { units_period: number }) => each.units_period)).toEqual([data.units])
  return { granted, cheapestRefused }
}

describe(`${CALLS} simultaneous calls with ${LEFT} units left`, () => {
  for (let round = 0; round < ROUNDS; round++) {
    test(`${round + 1}: of one unit each, ${LEFT} are granted`, async () => {
      expect(await race(keys[4 + 2 * round] ?? '', [BOARD])).toEqual({ granted: LEFT, cheapestRefused: 1 })
    }, 60_000)

    test(`${round + 1}: of one and five units, the remainder does not cover the cheapest rejected call`, async () => {
      const { granted, cheapestRefused } = await race(keys[5 + 2 * round] ?? '', [BOARD, JOURNEY, JOURNEY, JOURNEY])
      expect(granted).toBeLessThanOrEqual(LEFT)
      expect(LEFT - granted).toBeLessThan(cheapestRefused)
    }, 60_000)
  }

  test('every rejection says when to retry, and usage is still served', async () => {
    const key = keys[4] ?? ''
    for (const path of [BOARD, JOURNEY, '/v1/stops/ville:stop:CA/departures/stream', '/v1/networks']) {
      const refused = await ask(key, path)
      expect(refused.body.reason).toBe('quota_exhausted')
      const wait = Number(refused.headers.get('retry-after'))
      expect(Math.abs(wait - secondsToMonthEnd())).toBeLessThan(3)
      expect(limitOf(refused, 'units')).toEqual({ left: 0, seconds: wait })
      expect(refused.headers.get('ratelimit-policy')).toBe(`"units";q=${INCLUDED};w=2592000`)
    }
    const usage = await ask(key, '/v1/usage')
    expect(usage.body.data).toMatchObject({ units: INCLUDED, remaining: 0, billable_units: 0, spent_cents: 0 })
    expect(Date.parse(usage.body.data.resets_at) / 1000 - Date.now() / 1000 - secondsToMonthEnd()).toBeLessThan(1)
    // If no units are left, even a request for an unknown stop is refused with 429. Only an unknown path still gets
    // 404.
    expect((await ask(key, '/v1/stops/ville:stop:nope')).status).toBe(429)
    expect((await ask(key, '/v1/nothing')).status).toBe(404)
  })
})

describe('purchased units', () => {
  test('are granted exactly up to the cap', async () => {
    const [key = ''] = keys
    const statuses: number[] = []
    for (let call = 0; call < 25; call++) statuses.push((await ask(key, BOARD)).status)
    expect(statuses).toEqual([...new Array(20).fill(200), ...new Array(5).fill(429)])
    const refused = await ask(key, BOARD)
    expect(refused.body).toMatchObject({ reason: 'spend_cap_reached', code: 'QUOT3-3429' })
    expect(Math.abs(Number(refused.headers.get('retry-after')) - secondsToMonthEnd())).toBeLessThan(3)
    expect((await ask(key, '/v1/usage')).body.data).toMatchObject({
      plan: 'pay_as_you_go',
      units: 20,
      remaining: 0,
      overage_enabled: true,
      billable_units: 10,
      spent_cents: 5,
      spend_cap_cents: 5,
    })
  })

  test('are none with a cap of zero; included units are still granted', async () => {
    const key = keys[1] ?? ''
    for (let call = 0; call < 10; call++) expect((await ask(key, BOARD)).status).toBe(200)
    expect((await ask(key, BOARD)).body.reason).toBe('spend_cap_reached')
  })
})

test('a burst passes at once, then the rate applies; rejected calls cost nothing', async () => {
  const key = keys[2] ?? ''
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask(key, '/v1/networks')))
  const granted = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status === 429)
  expect(granted.length).toBeGreaterThanOrEqual(5)
  expect(granted.length).toBeLessThanOrEqual(7) // the burst of five, and two more at a rate of two per second
  expect(granted.length + refused.length).toBe(40)
  expect(granted.map((answer) => limitOf(answer, 'burst')?.left).sort()).toContain(4)
  for (const answer of refused) {
    expect(answer.body).toMatchObject({ reason: 'rate_limited', code: 'QUOT3-1429' })
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(answer.headers.get('ratelimit-policy')).toBe('"burst";q=2;w=1, "units";q=1000;w=2592000')
    expect(limitOf(answer, 'burst')).toEqual({ left: 0, seconds: 1 })
  }
  await Bun.sleep(1_100) // after this pause, two more requests are allowed; the request for the usage is one of them
  const usage = await ask(key, '/v1/usage')
  expect(usage.body.data).toMatchObject({ units: granted.length, remaining: 1_000 - granted.length })
  expect(limitOf(usage, 'units')?.left).toBe(1_000 - granted.length)
})

test('every response to a key has the limits, with the numbers of usage', async () => {
  const key = keys[3] ?? ''
  const line = await ask(key, '/v1/lines/ville:line:A')
  let used = 1
  const held = { 'if-none-match': line.headers.get('etag') ?? '' }
  const answers: readonly (readonly [number, number, string, RequestInit?])[] = [
    [200, 1, '/v1/lines/ville:line:A'],
    [304, 1, '/v1/lines/ville:line:A', { headers: held }],
    [200, 1, BOARD, { method: 'HEAD' }],
    [200, 1, '/v1/stops/ville:stop:CA/departures/stream', { headers: { accept: 'text/event-stream' } }],
    [200, 5, JOURNEY],
    [200, 0, '/v1/usage'],
    [400, 0, `${BOARD}?limit=0`],
    [400, 0, '/v1/journeys?from=nowhere'],
    [404, 0, '/v1/stops/ville:stop:nope/departures'],
    [404, 0, '/v1/lines/ville:line:A/vehicles'],
    [404, 0, '/v1/lines/ville:line:A/vehicles/stream'],
    [404, 0, '/v1/nothing'],
    [405, 0, BOARD, { method: 'POST' }],
    [406, 0, BOARD, { headers: { accept: 'text/html' } }],
    [414, 0, `${BOARD}?x=${'y'.repeat(5_000)}`],
    [503, 0, '/v1/networks/late'],
  ]
  for (const [status, cost, path, init] of answers) {
    const answer = await ask(key, path, init)
    used += cost
    expect({ path, status: answer.status }).toEqual({ path, status })
    expect({ path, policy: answer.headers.get('ratelimit-policy') }).toEqual({
      path,
      policy: `"units";q=${INCLUDED};w=2592000`,
    })
    expect({ path, left: limitOf(answer, 'units')?.left }).toEqual({ path, left: INCLUDED - used })
    expect(Math.abs((limitOf(answer, 'units')?.seconds ?? 0) - secondsToMonthEnd())).toBeLessThan(3)
  }
  expect((await ask(key, '/v1/usage')).body.data).toMatchObject({ units: used, remaining: INCLUDED - used })
  for (const [status, path, as] of [
    [200, '/v1/health', undefined],
    [200, '/v1/status', key],
    [401, BOARD, undefined],
    [401, BOARD, 'x'],
  ] as const) {
    const answer = await ask(as, path)
    expect([answer.status, answer.headers.get('ratelimit'), answer.headers.get('ratelimit-policy')]).toEqual([
      status,
      null,
      null,
    ])
  }
})
