// Tests a running service whose clock is set back, set forward by weeks, and corrected. Fails if its response headers,
// its usage report and its ledger disagree about the month or the remaining units, if a charged unit is lost, or if a
// clock jump is not logged exactly once.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPeriod } from '../../src/metering/utc-day.ts'
import { slowTest } from '../slow-test.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'

const PORT = 18_654
const CALLS = 12
const HOUR_MILLIS = 3_600_000
const JUMP_MILLIS = 45 * 24 * HOUR_MILLIS

const [bun = process.execPath] = commandOf('source')
const service = new ServiceFolder([bun, join(import.meta.dir, 'shifted-main.ts')])
const shiftPath = join(service.folder, 'shift')
writeFileSync(shiftPath, new Float64Array(512))
const shift = new Float64Array(Bun.mmap(shiftPath).buffer, 0, 1)
let serving: Serving
let key = ''
let reported = 0

beforeAll(async () => {
  process.env['QUAI_TEST_SHIFT'] = shiftPath
  key = await service.makeKey('callers')
  serving = await service.serve({ workers: 2, port: PORT })
}, 60_000)
afterAll(async () => {
  delete process.env['QUAI_TEST_SHIFT']
  await end(serving)
  rmSync(service.folder, { recursive: true })
})

/** Calls the API on a new connection, so that either thread may respond. */
async function ask(path: string) {
  const answer = await fetch(serving.base + path, { headers: { authorization: `Bearer ${key}`, connection: 'close' } })
  const body = JSON.parse(await answer.text())
  expect(answer.status).toBe(200)
  reported += body.meta.units
  const [, left, seconds] = /"units";r=(\d+);t=(\d+)/.exec(answer.headers.get('ratelimit') ?? '') ?? []
  return { data: body.data, left: Number(left), seconds: Number(seconds) }
}

function ledgerDays(): { day: number; units: number }[] {
  const database = new Database(join(service.folder, 'data', 'quai.db'), { readonly: true })
  try {
    return database.query<{ day: number; units: number }, []>('SELECT utc_day AS day, units FROM usage').all()
  } finally {
    database.close()
  }
}

const ledgerUnits = () => ledgerDays().reduce((sum, { units }) => sum + units, 0)
const loggedJumps = () => serving.output().match(/the system clock was set/g)?.length ?? 0

/** Checks that the response headers, the usage report and the ledger agree. Returns the month that the report names. */
async function agreed(): Promise<string> {
  const first = await ask('/v1/networks')
  for (let call = 1; call < CALLS; call++) {
    const { left, seconds } = await ask('/v1/networks')
    expect(left).toBe(first.left - call)
    expect(Math.abs(seconds - first.seconds)).toBeLessThan(60)
  }
  const { data, left, seconds } = await ask('/v1/usage')
  expect([data.remaining, left]).toEqual([first.left - CALLS + 1, first.left - CALLS + 1])
  expect(Math.abs(seconds - first.seconds)).toBeLessThan(60)
  await until(() => ledgerUnits() === reported, 'the ledger has all that was acknowledged')
  const month = findPeriod(data.period)
  const inMonth = ledgerDays().filter(({ day }) => month !== undefined && day >= month.firstDay && day < month.endDay)
  expect(inMonth.reduce((sum, { units }) => sum + units, 0)).toBe(data.units)
  return data.period
}

slowTest(
  'the clock an hour back and corrected, 45 days ahead and corrected: one month, one remainder, each jump reported once',
  async () => {
    const present = await agreed()
    let jumps = 0
    for (const by of [-HOUR_MILLIS, 0, JUMP_MILLIS, 0]) {
      shift[0] = by
      await until(() => loggedJumps() > jumps, 'the jump is logged')
      jumps++
      const month = await agreed()
      if (by < 0 || jumps === 2) expect(month >= present).toBe(true)
      expect(loggedJumps()).toBe(jumps)
    }
    const later = await agreed()
    expect(later > present).toBe(true) // the ledger keeps counting on the day of the latest charge
    expect(serving.output()).toContain('until the clock reaches that day')
    expect(await service.run('ledger', 'verify')).toMatchObject({ status: 0 })
  },
  60_000,
)
