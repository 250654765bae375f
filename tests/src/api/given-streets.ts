// Adds streets to a test's network, as a thread does.
import { buildStopLinks } from '../../../indexes/streets/build-links.ts'
import { LINK_FORMAT } from '../../../indexes/streets/stop-links.ts'
import { STREET_FORMAT, type StreetGraph } from '../../../indexes/streets/street-graph.ts'
import { DEFAULT_JOURNEYS, type Network } from '../../../src/networks/network.ts'

/** Gives a street graph to a network, and links its stops to the streets. */
export function giveStreets(
  network: Network,
  { graph, kilometers }: { readonly graph: StreetGraph; readonly kilometers: number },
): void {
  const { current } = network
  if (current === undefined) throw new Error('the network has no timetable')
  const { links, linkedStops, unlinkedIds } = buildStopLinks(graph, current.timetable, 500)
  const common = { graph: 'streets-1', snapshot: current.id, transferWalkMeters: 500 }
  network.settings = { ...network.settings, journeys: DEFAULT_JOURNEYS, hasStreets: true }
  network.streets = {
    graph,
    id: 'streets-1',
    meta: {
      format: STREET_FORMAT,
      stamp: '',
      madeAtMillis: 0,
      extractSeconds: 1_700_000_000,
      keptRuns: [],
      kilometers,
    },
    links: {
      links,
      meta: { format: LINK_FORMAT, ...common, linkedStops, unlinkedStops: unlinkedIds.length, unlinkedIds },
    },
    attribution: ['© OpenStreetMap contributors'],
  }
}
