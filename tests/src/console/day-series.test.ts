// Tests the days of the usage chart, the parsing of typed amounts, and the sentences about events. Fails if a day is
// lost or counted twice, or if an amount is misread.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toDayTotals, toSpan } from '../../../src/console/app/day-series.ts'
import { eventSentence } from '../../../src/console/app/event-sentence.ts'
import { parseAmount, toAmount, toPlanName, untilDay } from '../../../src/console/app/formats.ts'

const NOON = Date.UTC(2024, 2, 10, 12)

test('spans include both ends, across leap days and new years', () => {
  expect(toSpan('month', '2024-03', NOON)).toEqual({ from: '2024-03-01', to: '2024-03-31' })
  expect(toSpan('last-month', '2024-03', NOON)).toEqual({ from: '2024-02-01', to: '2024-02-29' })
  expect(toSpan('last-month', '2024-01', NOON)).toEqual({ from: '2023-12-01', to: '2023-12-31' })
  expect(toSpan('last-30', '2024-03', NOON)).toEqual({ from: '2024-02-10', to: '2024-03-10' })
  expect(toSpan('last-90', '2024-03', NOON)).toEqual({ from: '2023-12-12', to: '2024-03-10' })
  expect(toSpan('last-year', '2024-03', NOON)).toEqual({ from: '2023-03-12', to: '2024-03-10' })
})

test('each day of a span appears once, and the units of a span are those of its rows', () => {
  const row = fc.record({
    date: fc.integer({ min: 1, max: 31 }).map((day) => `2024-03-${String(day).padStart(2, '0')}`),
    key_id: fc.constantFrom('a', 'b'),
    key_name: fc.string(),
    units: fc.nat(1_000),
    calls: fc.nat(1_000),
  })
  const span = { from: '2024-03-01', to: '2024-03-31' }
  fc.assert(
    fc.property(fc.array(row), fc.constantFrom('', 'a', 'b'), (rows, keyId) => {
      const series = toDayTotals(span, rows, keyId)
      const wanted = rows.filter((each) => keyId === '' || each.key_id === keyId)
      const sum = (of: readonly { units: number; calls: number }[]) => [
        of.reduce((total, each) => total + each.units, 0),
        of.reduce((total, each) => total + each.calls, 0),
      ]
      expect(new Set(series.map((day) => day.date)).size).toBe(31)
      expect(sum(series)).toEqual(sum(wanted))
    }),
  )
})

test('an amount is read to the cent or not at all', () => {
  const read = ['20', '20.5', '20,05', ' 0 ', '1000000', '1000000.01', '-1', '1.005', '1,000.00', '', '1e3', '٢']
  expect(read.map(parseAmount)).toEqual([2_000, 2_050, 2_005, 0, 100_000_000, ...Array(7).fill(undefined)])
  fc.assert(
    fc.property(fc.nat(100_000_000), (cents) => {
      expect(parseAmount(toAmount(cents).replaceAll(',', ''))).toBe(cents)
    }),
  )
})

test('words', () => {
  expect([toAmount(123_456), toAmount(5), toPlanName('pay_as_you_go')]).toEqual(['1,234.56', '0.05', 'Pay as you go'])
  expect(
    ['2024-03-11T12:00:00Z', '2024-03-12T12:00:01Z', '2024-03-10T12:00:00Z'].map((at) => untilDay(at, NOON)),
  ).toEqual(['in 1 day', 'in 3 days', 'now'])
})

test('an event is described by its content, by its key if it has no name, and by its kind if that is unknown', () => {
  const event = { id: 'e', at: '2024-03-10T12:00:00Z', key_id: 'k', actor: 'owner' as const, detail: {} }
  const names = new Map([['k', '<b>']])
  const sentenceOf = (more: object) => eventSentence({ ...event, kind: 'verified', ...more }, names)
  expect([
    sentenceOf({ kind: 'key_revoked' }),
    sentenceOf({ kind: 'key_created', detail: { name: 'CI' } }),
    sentenceOf({ kind: 'key_renamed', detail: { from: 'a', to: 'b' } }),
    sentenceOf({ kind: 'plan_changed', detail: { from: 'free', to: 'pro' }, actor: 'operator' }),
    sentenceOf({ kind: 'overage_changed', detail: { overage_enabled: false, spend_cap_cents: 2_000 } }),
    sentenceOf({ kind: 'statement_closed', detail: { month: '2024-02' }, actor: 'service' }),
    sentenceOf({ kind: 'moved_house' }),
  ]).toEqual([
    'Key “<b>” revoked',
    'Key “CI” created',
    'Key “a” renamed to “b”',
    'Plan changed to Pro, by the operator',
    'Overage off, spend cap 20.00',
    'Statement for February 2024 closed',
    'Moved house',
  ])
})
