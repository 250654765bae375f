// Tests the summary that `quai import` prints. Fails if it has no readable line about the days with service.
import { expect, test } from 'bun:test'
import { summarize } from '../../../src/commands/import.ts'
import { emptyReport } from '../../../src/imports/import-report.ts'

const report = { ...emptyReport('ville', 'feed.zip'), outcome: 'imported' as const }

test('the summary names the first and the last day with service', () => {
  const dates = { firstDate: '2026-01-01', lastDate: '2026-12-31' }
  expect(summarize({ ...report, ...dates }).split('\n')).toContain('  service from 2026-01-01 to 2026-12-31')
})

test('the summary says so if there is no service on any day', () => {
  expect(summarize(report).split('\n')).toContain('  no service on any day')
})
