// The world's land for far out, made smaller: coordinates in tenths of a degree, as deltas from point to point.
import { fileURLToPath } from 'node:url'
import { quantize } from 'topojson-client'

/** Steps each way: below a pixel where the outline is shown. */
const STEPS = 3_600

type Topology = Parameters<typeof quantize>[0]

/** The outline as TopoJSON. Throws where the package isn't installed. */
export async function makeOutline(): Promise<string> {
  const land: Topology = await Bun.file(fileURLToPath(import.meta.resolve('world-atlas/land-110m.json'))).json()
  return JSON.stringify(quantize(toDegrees(land), STEPS))
}

/** The same topology with arcs in degrees. */
function toDegrees(topology: Topology): Topology {
  const { transform, ...rest } = topology
  if (transform === undefined) return topology
  const [scaleX, scaleY] = transform.scale
  const [fromX, fromY] = transform.translate
  const arcs = topology.arcs.map((arc) => {
    let x = 0
    let y = 0
    return arc.map(([deltaX = 0, deltaY = 0]) => {
      x += deltaX
      y += deltaY
      return [x * scaleX + fromX, y * scaleY + fromY]
    })
  })
  return { ...rest, arcs }
}
