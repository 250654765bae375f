// Breaks each journey rule on purpose, and checks that at least one test then fails. Does so only if the size of the
// test run (`QUAI_SIZE`) is `full`. At other sizes, only checks that each rule can still be broken: the source must
// contain the text to be replaced.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { breakRules, brokenText } from './broken-rules.ts'
import { BROKEN_RULES } from './journey-rules.ts'
import { SIZE } from './size.ts'

const MILLIS = 3_600_000

test('each rule can be broken', () => {
  for (const rule of BROKEN_RULES) {
    const text = readFileSync(join(import.meta.dir, '..', rule.file), 'utf8')
    expect(brokenText(text, rule)).not.toBe(text)
  }
  expect(new Set(BROKEN_RULES.map(({ name }) => name)).size).toBe(BROKEN_RULES.length)
})

test.skipIf(SIZE !== 'full')(
  'each broken rule is detected',
  async () => {
    const survived: string[] = []
    for await (const { name, caughtBy } of breakRules(BROKEN_RULES)) if (caughtBy === undefined) survived.push(name)
    expect(survived).toEqual([])
  },
  MILLIS,
)
