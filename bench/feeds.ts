// The feed for a benchmark: either an existing feed, or the demo city at some scale, written to a temporary folder.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { makeCity, writeCity } from '../src/demo/city.ts'

/** A feed for measurements. */
export interface BenchFeed {
  readonly name: string
  readonly path: string
}

/** Scale of a generated city with about 950 000 stop times. */
const GENERATED_SCALE = 5

/** The feed that QUAI_BENCH_FEED names (a zip file or a folder). If it names none, a generated city. */
export async function benchFeed(): Promise<BenchFeed> {
  const given = process.env['QUAI_BENCH_FEED']
  if (given !== undefined) {
    if (!existsSync(given)) throw new Error(`QUAI_BENCH_FEED names ${given}, which does not exist`)
    return { name: basename(given), path: given }
  }
  const path = mkdtempSync(join(tmpdir(), 'quai-bench-city-'))
  process.on('exit', () => rmSync(path, { recursive: true, force: true }))
  const scale = Number(process.env['QUAI_BENCH_SCALE'] ?? GENERATED_SCALE)
  await writeCity(makeCity({ seed: 1, scale, firstDate: 20260901, days: 120 }), path)
  return { name: `city, scale ${scale}`, path }
}
