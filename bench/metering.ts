// `bun bench/metering.ts` measures what it costs to check and charge the API key of a request: key check, rate limit,
// quota, RateLimit header fields and charging. Calls with a single key and calls with many keys are measured. The cost
// of counting responses by route is also measured. The charged units and the counts are checked.
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Gate } from '../src/access/gate.ts'
import { openGate } from '../src/access/open-gate.ts'
import { openAccounts } from '../src/accounts/open-accounts.ts'
import { loadConfig } from '../src/config/config.ts'
import { below, seededRandom } from '../src/demo/seeded-random.ts'
import { COUNTED_ROUTES, classOfStatus, RouteTally } from '../src/metrics/thread-counts.ts'
import type { Plan } from '../src/plans/plans.ts'
import { showFigure } from './figures.ts'
import { digits, type Spread, spreadOf } from './measure.ts'

const KEYS = 1_000
const KEYS_OF_ACCOUNT = 20
const CALLS_OF_BATCH = 2_000
const BATCHES = 500
/** Maximum cost of checking, admitting and charging a call, in microseconds. */
const BAR_MICROS = 1
/** Maximum cost of counting a response by route, in nanoseconds. */
const TALLY_BAR_NANOS = 50

const folder = mkdtempSync(join(tmpdir(), 'quai-bench-metering-'))
const config = loadConfig({
  currentFolder: folder,
  env: {
    QUAI_PLANS_PRO_INCLUDED_UNITS: '1000000000000',
    QUAI_PLANS_PRO_REQUESTS_PER_SECOND: '1000000',
    QUAI_PLANS_PRO_BURST: '1000000000',
  },
  flags: { data_dir: folder, workers: 1 },
})
const accounts = await openAccounts(config, { onProblem: (message) => console.error(message) })
console.log(`${cpus()[0]?.model}; ${BATCHES} batches of ${CALLS_OF_BATCH} calls, microseconds per call`)
try {
  const keys: string[] = []
  for (let number = 0; number < KEYS; number++) keys.push(await makeKey(number, 'pro'))
  const { gate } = openGate(await accounts.start(), 0)
  const random = seededRandom(1, 'keys')
  const anyKeys = Array.from({ length: CALLS_OF_BATCH }, () => keys[below(random, KEYS)] ?? '')
  const hotKeys = new Array<string>(CALLS_OF_BATCH).fill(keys[0] ?? '')
  let charged = 0
  for (const [name, used] of [
    ['one key', hotKeys],
    [`${KEYS} keys`, anyKeys],
  ] as const) {
    measure(`${name}: key check`, used, (header) => checkKey(gate, header))
    const whole = measure(`${name}: check, authentication, fields and charge`, used, (header) => {
      pass(gate, header)
      charged++
    })
    showFigure({
      name: `a keyed call is checked, admitted and charged, ${name}`,
      value: whole.p50,
      unit: 'µs',
      atMost: BAR_MICROS,
    })
  }
  const ids = (await accounts.store.listKeys()).map(({ id }) => id)
  for (const [name, count] of [
    ['one key', 1],
    [`${KEYS} keys`, KEYS],
  ] as const) {
    measureTally(name, ids.slice(0, count), random)
  }
  await accounts.flush()
  const counted = await accounts.operations.verifyLedger({})
  if (counted.ledger_units !== charged || counted.faults.length > 0)
    throw new Error(`${charged} units were charged, but the ledger check returned ${JSON.stringify(counted)}`)
} finally {
  await accounts.close()
  rmSync(folder, { recursive: true, force: true })
}

async function makeKey(number: number, plan: Plan): Promise<string> {
  const email = `account-${Math.floor(number / KEYS_OF_ACCOUNT)}@bench.example`
  const made = await accounts.operations.createKey({
    email,
    plan,
    name: `key ${number}`,
    scopes: ['transit:read'],
    expiresAtMillis: null,
  })
  return made.key
}

function checkKey(gate: Gate, header: string) {
  const authentication = gate.authenticate(header)
  if (authentication.kind === 'refused') throw new Error(`a key was refused: ${authentication.reason}`)
  return authentication.caller
}

/** Runs the steps of the gate for a successful call. */
function pass(gate: Gate, header: string): void {
  const caller = checkKey(gate, header)
  const taken = gate.reserve(caller, 1)
  if ('reason' in taken) throw new Error(`a call was refused: ${taken.reason}`)
  if (gate.limitFields().limit === '') throw new Error('the limit fields are empty')
  if (gate.charge(taken) !== undefined) throw new Error('a call was not charged')
}

/** Times batches of calls. Each call gets a new header string, as if the header came from a socket. */
function measure(name: string, keys: readonly string[], call: (header: string) => void): Spread {
  const micros = new Float64Array(BATCHES)
  for (let batch = -BATCHES / 10; batch < BATCHES; batch++) {
    const headers = keys.map((key) => Buffer.from(`Bearer ${key}`).toString('latin1'))
    const started = Bun.nanoseconds()
    for (const header of headers) call(header)
    if (batch >= 0) micros[batch] = (Bun.nanoseconds() - started) / 1000 / keys.length
  }
  const spread = spreadOf(micros)
  console.log(`${name}: min ${digits(spread.min)}, p50 ${digits(spread.p50)}, p99 ${digits(spread.p99)}`)
  return spread
}

/**
 * Measures the cost of counting responses by route, with keys and routes in random order. Throws if the counts do not
 * add up to the number of responses.
 */
function measureTally(name: string, keyIds: readonly string[], random: () => number): void {
  const tally = new RouteTally(COUNTED_ROUTES)
  const calls = Array.from({ length: CALLS_OF_BATCH }, () => ({
    keyId: keyIds[below(random, keyIds.length)] ?? '',
    route: below(random, COUNTED_ROUTES.length),
    status: [200, 404, 429, 500][below(random, 4)] ?? 200,
  }))
  const nanos = new Float64Array(BATCHES)
  let noted = 0
  for (let batch = -BATCHES / 10; batch < BATCHES; batch++) {
    const started = Bun.nanoseconds()
    for (const { keyId, route, status } of calls) tally.note(keyId, route, classOfStatus(status))
    if (batch >= 0) nanos[batch] = (Bun.nanoseconds() - started) / calls.length
    noted += calls.length
  }
  const counted = tally.take().flatMap(({ answers }) => answers)
  if (counted.reduce((sum, count) => sum + count, 0) !== noted) throw new Error(`not all ${noted} answers are counted`)
  const spread = spreadOf(nanos)
  console.log(`${name}: counting an answer by route: min ${digits(spread.min)}, p50 ${digits(spread.p50)} ns`)
  showFigure({ name: `an answer is counted by route, ${name}`, value: spread.p50, unit: 'ns', atMost: TALLY_BAR_NANOS })
}
