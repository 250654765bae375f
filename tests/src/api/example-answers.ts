// The answers that the document shows as examples: what the small feed's service says. Rewritten by
// `bun tests/src/api/write-examples.ts`, reviewed as a diff.
import { ROUTE_LIST } from '../../../src/api/routes.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { openApi } from './api-under-test.ts'

const QUERIES: Readonly<Record<string, string>> = {
  listLines: '?limit=1',
  getLine: '?include=geometry',
  listStops: '?q=centre&limit=2',
  listDepartures: '?limit=2',
  listNearbyStops: '?near=48.58,7.75',
  listNearbyDepartures: '?near=48.58,7.75&limit=1',
  listAlerts: '?networks=ville',
}
const IDS: Readonly<Record<string, string>> = { network: 'ville', line_id: 'ville:line:A', stop_id: 'ville:stop:CA' }

/** An answer of each operation that has one, by its name. Vehicles have none without live data. */
export async function exampleAnswers(): Promise<Record<string, unknown>> {
  const api = await openApi({ networks: [{ id: 'ville', feed: smallFeed() }] })
  const answers: Record<string, unknown> = {}
  for (const route of ROUTE_LIST) {
    const address = route.path.replace(/:(\w+)/, (_, name: string) => IDS[name] ?? '') + (QUERIES[route.name] ?? '')
    const answer = await api.get(address)
    if (answer.status === 200) answers[route.name] = answer.body
  }
  return answers
}
