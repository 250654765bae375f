// A small outline of the world's land for low zooms. Its coordinates are delta-encoded on a grid whose steps are about
// a tenth of a degree of longitude.
import { fileURLToPath } from 'node:url'
import { quantize } from 'topojson-client'

/** Number of grid steps in each direction. A step is less than a pixel at the zooms that show the outline. */
const STEPS = 3_600

type Topology = Parameters<typeof quantize>[0]

/** Returns the outline as TopoJSON. Throws if the package `world-atlas` is not installed. */
export async function makeOutline(): Promise<string> {
  const land: Topology = await Bun.file(fileURLToPath(import.meta.resolve('world-atlas/land-110m.json'))).json()
  return JSON.stringify(quantize(toDegrees(land), STEPS))
}

/** Converts the arcs of a topology from its grid to degrees. */
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
