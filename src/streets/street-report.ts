// The report of a street import. It is stored next to the street graphs, printed by the import command, and read by the
// control thread.

import type { LinkMeta } from '../../indexes/streets/stop-links.ts'

/**
 * Minimum share of a network's stops that should be near streets. If the share is smaller, the report contains a
 * warning.
 */
const LEAST_COVERED = 0.5

/** The result of a street import. */
export interface StreetReport {
  readonly outcome: 'imported' | 'up_to_date' | 'failed'
  /** Why the import failed; undefined if it did not fail. The previous graph, if any, is kept. */
  readonly problem: StreetProblem | undefined
  /** The graph that is served. */
  readonly streets: StreetFacts | undefined
  readonly networks: readonly LinkedNetwork[]
  readonly seconds: number
}

/** A problem that an operator can fix. */
export interface StreetProblem {
  /** A stable name for the problem, for programs. */
  readonly reason: string
  readonly message: string
  /** Whether the problem may disappear on its own, so that trying again may help, as after a failed download. */
  readonly isPassing: boolean
}

/** Facts about a street graph. */
export interface StreetFacts {
  readonly path: string
  readonly id: string
  readonly kilometers: number
  /** Unix time up to which the extracts include map changes; null if the extracts do not state it. */
  readonly extractSeconds: number | null
  readonly madeAtMillis: number
}

/** A network whose stops are linked to the graph. */
export interface LinkedNetwork {
  readonly id: string
  /** Path of the network's links. */
  readonly path: string
  /** Whether this import made the links. */
  readonly isNew: boolean
  readonly linkedStops: number
  readonly unlinkedStops: number
  /** Ids of the first stops that are not near any street. */
  readonly unlinkedIds: readonly string[]
  readonly warnings: readonly string[]
}

/** Describes the links of a network. */
export function describeLinks(
  id: string,
  { path, meta, isNew }: { readonly path: string; readonly meta: LinkMeta; readonly isNew: boolean },
): LinkedNetwork {
  const { linkedStops, unlinkedStops, unlinkedIds } = meta
  const share = linkedStops / Math.max(1, linkedStops + unlinkedStops)
  const warnings =
    share < LEAST_COVERED
      ? [
          `${linkedStops === 0 ? 'none' : `only ${linkedStops}`} of ${linkedStops + unlinkedStops} stops could be linked to a street in the extracts`,
        ]
      : []
  return { id, path, isNew, linkedStops, unlinkedStops, unlinkedIds, warnings }
}
