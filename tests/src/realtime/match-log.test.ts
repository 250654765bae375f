// Tests the log lines about how well live feeds match the timetable (src/realtime/match-log.ts). A feed must be logged
// at its first message, whenever its matches become good or bad, and otherwise once an hour.
import { expect, test } from 'bun:test'
import { MatchLog } from '../../../src/realtime/match-log.ts'

const reading = (matched: number, total = 10) => ({ matched, total, reasons: { trip_not_found: total - matched } })

function logOf() {
  const lines: [string, Readonly<Record<string, unknown>>][] = []
  const log = new MatchLog('ville', {
    info: (fields) => void lines.push(['info', fields]),
    warn: (fields) => void lines.push(['warn', fields]),
  })
  return { log, lines }
}

test('a feed is logged at first, with its rate and reasons', () => {
  const { log, lines } = logOf()
  log.note('trips', reading(9), 0)
  expect(lines).toEqual([
    [
      'info',
      { network: 'ville', feed: 'trips', trips: 10, matched: 9, match_rate: 0.9, reasons: { trip_not_found: 1 } },
    ],
  ])
})

test('then on changes, and once an hour; a message without trips is not logged', () => {
  const { log, lines } = logOf()
  log.note('trips', reading(8), 0)
  log.note('trips', reading(10), 60)
  log.note('trips', reading(0, 0), 90)
  log.note('trips', reading(7), 120)
  log.note('trips', reading(6), 3719)
  log.note('trips', reading(6), 3720)
  log.note('trips', reading(9), 3721)
  expect(lines.map(([level, { matched }]) => [level, matched])).toEqual([
    ['info', 8],
    ['warn', 7],
    ['warn', 6],
    ['info', 9],
  ])
})

test('feeds are logged separately', () => {
  const { log, lines } = logOf()
  log.note('one', reading(9), 0)
  log.note('other', reading(9), 0)
  expect(lines.map(([, { feed }]) => feed)).toEqual(['one', 'other'])
})
