// Finds the street at a location in the networks' street graphs.

import type { StreetGraph } from '../../indexes/streets/street-graph.ts'
import { type NamedStreet, StreetSnap } from '../../indexes/streets/street-snap.ts'
import type { Network } from '../networks/network.ts'

/** An object that belongs to a network, such as a view of the network. */
interface OfNetwork {
  readonly network: Network
}

const snaps = new WeakMap<StreetGraph, StreetSnap>()

/** Whether at least one network is configured to use streets. */
export function hasStreets(views: readonly OfNetwork[]): boolean {
  return views.some(({ network }) => network.settings.hasStreets === true)
}

/** The nearest named street within a distance; undefined if there is none. */
export function nearestStreet(
  views: readonly OfNetwork[],
  place: { readonly lat: number; readonly lon: number; readonly radiusMeters: number },
): NamedStreet | undefined {
  const graphs = new Set(views.flatMap(({ network }) => network.streets?.graph ?? []))
  let nearest: NamedStreet | undefined
  for (const graph of graphs) {
    const snap = snaps.getOrInsertComputed(graph, () => new StreetSnap(graph))
    const found = snap.nearestNamed(place, place.radiusMeters)
    if (found !== undefined && !(found.meters >= (nearest?.meters ?? Infinity))) nearest = found
  }
  return nearest
}
