// Runs cases from other projects' realtime tests, rewritten for Quai's import, decoder and overlay. Each case has a
// timetable, messages, and what riders must see. Fails if a time, a state or a journey differs from what the authors
// expect, unless the case names the Quai rule that explains the difference.
import { expect, test } from 'bun:test'
import { RULES, summary } from './peer-cases.ts'
import './nigiri-changes.ts'
import './nigiri-trips.ts'
import './onebusaway.ts'
import './otp-delays.ts'
import './otp-trips.ts'
import './otp-times.ts'
import './otp-matching.ts'

const LEAST_CASES = 120

test('there are enough cases, each once, and every difference has its rule', () => {
  const { cases, distinct, peers, differences } = summary()
  console.log(`${cases} cases: ${JSON.stringify(peers)}; ${differences.length} differ by rule:`)
  for (const { name, rule } of differences) console.log(`  ${rule}: ${name}`)
  expect(cases).toBeGreaterThanOrEqual(LEAST_CASES)
  expect(distinct).toBe(cases)
  expect(new Set(differences.map(({ rule }) => rule))).toEqual(new Set(Object.keys(RULES)) as Set<keyof typeof RULES>)
})
