// The street at a place, according to the street maps of the networks.

import type { StreetGraph } from '../../indexes/streets/street-graph.ts'
import { type NamedStreet, StreetSnap } from '../../indexes/streets/street-snap.ts'
import type { Network } from '../networks/network.ts'

/** Anything that has a network, such as a view of it. */
interface OfNetwork {
  readonly network: Network
}

const snaps = new WeakMap<StreetGraph, StreetSnap>()

/** Whether any network has a street map, or will have one. */
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
