// The streets of one thread. Each graph is opened only once for all networks, and closed when no network uses it.
import type { NetworkStreets, Snapshot } from '../networks/network.ts'
import type { StreetsMessage } from '../networks/network-messages.ts'
import { type OpenedStreets, openLinks, openStreets } from './street-store.ts'

/** The opened graphs of one thread. */
export class ThreadStreets {
  private readonly graphs = new Map<string, OpenedStreets>()

  /**
   * Opens a network's streets for its snapshot; undefined if the graph's file no longer exists. In that case, walks are
   * straight lines until a message with a new path follows. Links made for another snapshot or graph are left out.
   */
  open(message: StreetsMessage | undefined, snapshot: Pick<Snapshot, 'id'>): NetworkStreets | undefined {
    if (message === undefined) return undefined
    const streets = this.graphs.get(message.graph) ?? openStreets(message.graph)
    if (streets === undefined) return undefined
    this.graphs.set(message.graph, streets)
    const { graph, id, meta } = streets
    const opened = message.links === undefined ? undefined : openLinks(message.links)
    const fits = opened?.meta.graph === id && opened.meta.snapshot === snapshot.id
    const links = opened !== undefined && fits ? { links: opened.links, meta: opened.meta } : undefined
    return { graph, id, meta, links, attribution: message.attribution }
  }

  /** Closes all graphs except those at these paths. */
  keepOnly(paths: ReadonlySet<string>): void {
    for (const path of this.graphs.keys()) if (!paths.has(path)) this.graphs.delete(path)
  }
}
