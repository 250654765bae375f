// The alerts in the networks of the fuzzed service. There are enough for several pages, they are about all kinds of
// things in a network (stops, lines and so on), and their ids and strings are as odd as GTFS-Realtime allows.
import { textOf } from '../../../loaders/strings.ts'
import type { Network } from '../../../src/networks/network.ts'
import { alert, period, selector, text } from '../../indexes/live/alert-reports.ts'
import { publishedAlerts } from '../../src/api/published-alerts.ts'

const ALERTS = 150
const SEVERITIES = ['unknown', 'info', 'warning', 'severe']
const TEXTS = [
  'Travaux',
  '<script>alert(1)</script>rue "du Port"',
  '&lt;b&gt;\u202eעברית',
  '',
  '\ud83d\ude8b'.repeat(400),
  '<p>Un</p><p>deux\u0000\u2028</p>',
]

/** Publishes a network's alerts as of an instant. @param oddIds the ids of the first alerts */
export function showAlerts(network: Network, nowMillis: number, oddIds: readonly string[]): void {
  if (network.current === undefined) return
  const { timetable } = network.current
  const { lines, stops, areas, strings, meta } = timetable
  const nowSeconds = nowMillis / 1000
  const ids = Array.from(lines.id, (id) => textOf(strings, id))
  const places = [stops.id, areas.id].flatMap((of) => Array.from(of, (id) => textOf(strings, id)))
  const agencies = meta.agencies.map(({ id }) => id)
  const subjects = [
    ...ids.map((routeId) => selector({ routeId })),
    ...places.map((stopId) => selector({ stopId })),
    ...agencies.map((agencyId) => selector({ agencyId })),
    selector({ routeType: 3 }),
  ]
  const alerts = Array.from({ length: ALERTS }, (_, at) => {
    const from = nowSeconds - 3600 + (at % 7) * 1200
    return alert(oddIds[at] ?? `alert-${at}`, {
      severity: SEVERITIES[at % SEVERITIES.length] ?? '',
      activePeriods: at % 5 === 0 ? [] : [period(from, from + 7200)],
      header: text(TEXTS[at % TEXTS.length] ?? ''),
      description: text(TEXTS[(at * 5 + 1) % TEXTS.length] ?? ''),
      url: text(at % 2 === 0 ? 'https://ville.example/?a=1&b="é"' : 'javascript:alert(1)'),
      selectors: at % 11 === 0 ? [] : [0, 37, 101].flatMap((step) => subjects[(at * 3 + step) % subjects.length] ?? []),
    })
  })
  network.live = publishedAlerts(network, alerts, { atMillis: nowMillis })
}
