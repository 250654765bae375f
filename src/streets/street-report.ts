// The report of an import of streets: stored next to the street graphs, printed by the import command, and read by the
// control thread.

import type { LinkMeta } from '../../indexes/streets/stop-links.ts'

/** Share of a network's stops near streets below which the report has a warning. */
const LEAST_COVERED = 0.5

/** The result of an import of streets. */
export interface StreetReport {
  readonly outcome: 'imported' | 'up_to_date' | 'failed'
  /** Why the extracts were not read; the previous graph stays, if there is one. */
  readonly problem: StreetProblem | undefined
  /** The graph that is served. */
  readonly streets: StreetFacts | undefined
  readonly networks: readonly LinkedNetwork[]
  readonly seconds: number
}

/** A problem that an operator can fix. */
export interface StreetProblem {
  /** A stable name of the problem, for programs. */
  readonly reason: string
  readonly message: string
  /** Whether trying again without a change may help, such as after a failed download. */
  readonly isPassing: boolean
}

/** Facts about a street graph. */
export interface StreetFacts {
  readonly path: string
  readonly id: string
  readonly kilometers: number
  /** The extracts include changes up to this Unix time; null if they do not state it. */
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
  /** The first stops that are not near any street. */
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
          `${linkedStops === 0 ? 'none' : `only ${linkedStops}`} of ${linkedStops + unlinkedStops} stops could be linked to a street of the extracts`,
        ]
      : []
  return { id, path, isNew, linkedStops, unlinkedStops, unlinkedIds, warnings }
}
