// Small generated networks of slow and fast lines along one street, with many competing journeys.
import type { Dice } from './board-questions.ts'
import type { JourneyFeed } from './src/api/journey-lines.ts'

const STOPS = ['A', 'B', 'C', 'D', 'E', 'F']

/** Slow and fast lines, each along some of six stops. Most trips run by day, a few at night. */
export function madeLines(dice: Dice): JourneyFeed {
  const clock = (minute: number) => `${Math.floor(minute / 60)}:${`${minute % 60}`.padStart(2, '0')}`.padStart(5, '0')
  const trips: Record<string, string> = {}
  for (let line = 0; line < 4 + dice.below(4); line++) {
    const way = STOPS.filter(() => dice.below(2) === 0)
    const called = dice.below(2) === 0 ? way : way.toReversed()
    if (called.length < 2) continue
    const pace = 4 + dice.below(12)
    const headway = 15 + dice.below(100)
    for (let number = 0; number < 12; number++) {
      const start = 300 + line * 7 + number * headway + dice.below(9)
      trips[`L${line}-${number}`] = called.map((stop, call) => `${stop} ${clock(start + call * pace)}`).join(', ')
    }
  }
  const stops = Object.fromEntries(STOPS.map((stop, at) => [stop, at * (250 + dice.below(2000))]))
  return { stops, trips: { 'always-1': 'A 07:00, F 08:00', ...trips } }
}
