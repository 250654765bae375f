// Finds the platform that belongs to a stop. A platform with the stop's number or name is preferred even if a street is
// nearer.
import { IS_PLATFORM } from '../../loaders/osm/foot-access.ts'
import { EMPTY_STRING, type StringIndex, type StringPool, textOf } from '../../loaders/strings.ts'
import type { StopIndex, Timetable } from '../timetable/timetable.ts'
import type { StreetEdgeIndex, StreetGraph } from './street-graph.ts'

/** Separates the numbers of a platform that has several numbers. */
const SEPARATOR = ';'

/** Compares the platforms in a graph with the stops of a timetable. */
export class StopPlatforms {
  private readonly graph: StreetGraph
  private readonly timetable: Timetable
  /** Platform → its numbers, in lower case. */
  private readonly refs: ReadonlyMap<StreetEdgeIndex, readonly string[]>

  constructor(graph: StreetGraph, timetable: Timetable) {
    this.graph = graph
    this.timetable = timetable
    const refs = new Map<StreetEdgeIndex, readonly string[]>()
    for (let row = 0; row < graph.platformEdge.length; row++) {
      refs.set(graph.platformEdge[row], fold(graph.names, graph.platformRef[row]).split(SEPARATOR))
    }
    this.refs = refs
  }

  /** Returns a function that checks whether an edge is a platform of the stop. */
  preferredBy(stop: StopIndex): (edge: StreetEdgeIndex) => boolean {
    const { stops, strings } = this.timetable
    const [platform, code, name] = [stops.platformCode[stop], stops.code[stop], stops.name[stop]].map((each) =>
      fold(strings, each),
    )
    const numbers = [platform, code].filter((each) => each !== '')
    const { edgeFlags, edgeName, names } = this.graph
    return (edge) => {
      if ((edgeFlags[edge] & IS_PLATFORM) === 0) return false
      if (this.refs.get(edge)?.some((ref) => numbers.includes(ref)) === true) return true
      return edgeName[edge] !== EMPTY_STRING && [name, ...numbers].includes(fold(names, edgeName[edge]))
    }
  }
}

function fold(pool: StringPool, text: StringIndex): string {
  return textOf(pool, text).trim().toLowerCase()
}
