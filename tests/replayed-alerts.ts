// Compares a replayed network's alerts with the second implementation: each expected alert must be served with its
// title, cause, effect and lines, and no other alert may be served. Supports only the kinds of alerts that the captures
// contain: alerts that have no active periods, and that are about whole agencies or about nothing. Fails for other
// alerts.
import type { ReportedMessage } from './oracles/realtime-bytes.ts'
import { listOf, objectOf } from './replayed-boards.ts'
import { NETWORK, type ReplayedNetwork } from './replayed-network.ts'

/** Requests the network's alerts and returns the differences. @param lineIds the public ids of all lines */
export async function compareAlerts(
  network: ReplayedNetwork,
  messages: readonly ReportedMessage[],
  lineIds: readonly string[],
): Promise<string[]> {
  const path = `/v1/networks/${NETWORK}/alerts?limit=100`
  const { status, body } = await network.get(path)
  const expected = messages
    .flatMap(({ alerts }) => alerts)
    .map(({ id, title, cause, effect, reach }) => {
      if (reach === 'other') throw new Error(`the oracle does not read the alert ${id}`)
      const lines = reach === 'agency' ? lineIds.toSorted().join(' ') : ''
      return [`${NETWORK}:alert:${id}`, plain(title), cause, effect, lines].join(' | ')
    })
  // If no alert is expected, the network may also answer that it does not support alerts.
  if (status === 404 && expected.length === 0 && body['reason'] === 'capability_unsupported') return []
  if (status !== 200) return [`${path}: ${status}`]
  const served = listOf(body['data'])
    .map(objectOf)
    .map(({ id, title, cause, effect, line_ids }) =>
      [id, title, cause, effect, listOf(line_ids).toSorted().join(' ')].join(' | '),
    )
  return [
    ...expected.filter((alert) => !served.includes(alert)).map((alert) => `${path}: not served: ${alert}`),
    ...served.filter((alert) => !expected.includes(alert)).map((alert) => `${path}: not in the bytes: ${alert}`),
  ]
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
