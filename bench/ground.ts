// `QUAI_FEEDS=folder bun run bench ground` measures the cost of the base map, for the extracts in the folder and for a
// file of 100 MB joined from copies of them. QUAI_BENCH_MOSAIC names a file in which the joined file is kept. If
// QUAI_BENCH_BEFORE names another checkout, both checkouts make each map, and the ratio of their processor times is
// printed. The checkouts take turns, so that other work on the machine affects both equally.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { REAL_EXTRACTS } from '../tests/size.ts'
import { showFigure } from './figures.ts'
import { type GroundMaking, measureGround } from './ground-making.ts'
import { writeMosaic } from './street-mosaic.ts'

const MOSAIC_COPIES = 76
const PAIRS = { extract: 5, mosaic: 3 }
const BARS = { secondsPerMegabyte: { atMost: 0.4 }, peak: { atMost: 1_200 } }
const OWN = join(import.meta.dir, '..')
const BEFORE = process.env['QUAI_BENCH_BEFORE']

if (REAL_EXTRACTS === undefined) throw new Error('QUAI_FEEDS must name a folder with extracts in its folder osm')
const folder = mkdtempSync(join(tmpdir(), 'quai-bench-ground-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const extracts = readdirSync(REAL_EXTRACTS)
  .filter((file) => file.endsWith('.osm.pbf'))
  .map((file) => join(REAL_EXTRACTS ?? '', file))
for (const path of extracts) await measureMap(path, PAIRS.extract, {})
const mosaic = process.env['QUAI_BENCH_MOSAIC'] ?? join(folder, 'mosaic.osm.pbf')
if (!existsSync(mosaic)) writeMosaic(mosaic, MOSAIC_COPIES, extracts)
await measureMap(mosaic, PAIRS.mosaic, BARS)

/** Makes the base map from an extract several times, and prints the cost. */
async function measureMap(path: string, pairs: number, bars: Partial<typeof BARS>): Promise<void> {
  const own: GroundMaking[] = []
  const before: GroundMaking[] = []
  for (let pair = 0; pair < pairs; pair++) {
    if (BEFORE !== undefined) before.push(await measureGround(path, BEFORE))
    own.push(await measureGround(path, OWN))
  }
  const [{ extractBytes, tiles, tileBytes }] = own
  const name = `${basename(path, '.osm.pbf')}, ${(extractBytes / 1e6).toFixed(1)} MB`
  const show = (what: string, value: number, more: { unit: string; atMost?: number }) =>
    showFigure({ name: `${name}: ${what}`, value, ...more })
  show(`${tiles} tiles`, tileBytes / 1e6, { unit: 'MB' })
  show('processor time per MB', medianOf(own.map(costOf)), { unit: 's', ...bars.secondsPerMegabyte })
  show('peak memory', Math.max(...own.map(({ peakMegabytes }) => peakMegabytes)), { unit: 'MB', ...bars.peak })
  if (before.length === 0) return
  show('processor time per MB before', medianOf(before.map(costOf)), { unit: 's' })
  show('peak memory before', Math.max(...before.map(({ peakMegabytes }) => peakMegabytes)), { unit: 'MB' })
  const ratios = own.map((making, pair) => costOf(making) / costOf(before[pair]))
  show(`processor time now / before (${ratios.map((ratio) => ratio.toFixed(2)).join(', ')})`, medianOf(ratios), {
    unit: '',
  })
}

function costOf({ processorSeconds, extractBytes }: GroundMaking): number {
  return processorSeconds / (extractBytes / 1e6)
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}
