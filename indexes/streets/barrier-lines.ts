// Rails and shores as straight pieces, to check whether a line from a stop to a street crosses a rail or a shore.
import { GrowingColumn, NONE, sealColumn } from '../../loaders/columns.ts'
import { type LoadedStreets, NODE_KNOWN } from '../../loaders/osm/load-streets.ts'
import { sortAlongCurve } from '../spatial/curve-order.ts'
import { buildPackedBoxes } from '../spatial/packed-boxes.ts'
import type { BarrierLines } from './street-graph.ts'

const END_NUMBERS = 4

/** Collects all straight pieces of rails and shores, sorted along a curve. */
export function buildBarriers({ barriers, nodes }: LoadedStreets): BarrierLines {
  const ends = new GrowingColumn(Int32Array)
  for (let way = 0; way < barriers.count; way++) {
    const count = barriers.readNodes(way)
    let last = NONE
    for (let at = 0; at < count; at++) {
      const found = barriers.nodes[at]
      const row = nodes.flags[found] & NODE_KNOWN ? found : NONE
      if (row !== NONE && last !== NONE && row !== last) {
        for (const each of [last, row]) {
          ends.push(nodes.lat[each])
          ends.push(nodes.lon[each])
        }
      }
      last = row
    }
  }
  const all = ends.view()
  const count = all.length / END_NUMBERS
  const lat = Int32Array.from({ length: count }, (_, line) => all[line * END_NUMBERS])
  const lon = Int32Array.from({ length: count }, (_, line) => all[line * END_NUMBERS + 1])
  const order = sortAlongCurve({ lat: sealColumn(lat), lon: sealColumn(lon) })
  const sorted = new Int32Array(all.length)
  for (const [place, line] of order.entries()) {
    sorted.set(all.subarray(line * END_NUMBERS, (line + 1) * END_NUMBERS), place * END_NUMBERS)
  }
  const boxes = buildPackedBoxes(count, (line, box) => {
    const [aLat, aLon, bLat, bLon] = sorted.subarray(line * END_NUMBERS, (line + 1) * END_NUMBERS)
    box.set([Math.min(aLat, bLat), Math.min(aLon, bLon), Math.max(aLat, bLat), Math.max(aLon, bLon)])
  })
  return { ends: sealColumn(sorted), boxes }
}
