// Reads how much a run tests (its size: quick, ci or full), and the seed for its random tests. Sizes differ in the
// number of rounds; quick runs also skip slow tests.

import { existsSync } from 'node:fs'
import { join } from 'node:path'

export type Size = 'quick' | 'ci' | 'full'

function readSize(): Size {
  const size = process.env['QUAI_SIZE'] ?? 'quick'
  if (size === 'quick' || size === 'ci' || size === 'full') return size
  throw new Error(`QUAI_SIZE is "${size}"; allowed are quick, ci and full`)
}

/** The size of this run. */
export const SIZE: Size = readSize()

/** The seed of this run's random tests. It is printed, and a run can be repeated by setting QUAI_SEED to it. */
export const SEED: number =
  process.env['QUAI_SEED'] === undefined ? Date.now() % 0x7fff_ffff : Number(process.env['QUAI_SEED'])

/** The value for the size of this run. */
export function bySize<T>(numbers: { readonly quick: T; readonly ci: T; readonly full: T }): T {
  return numbers[SIZE]
}

/** Like `bySize`, for the number of rounds of a test that takes minutes. QUAI_ROUNDS overrides the number. */
export function roundsBySize(numbers: Parameters<typeof bySize<number>>[0]): number {
  const chosen = process.env['QUAI_ROUNDS']
  return chosen === undefined ? bySize(numbers) : Number(chosen)
}

/** The folder with zips of real feeds, if the run has one: QUAI_FEEDS itself, or its folder `gtfs`. */
export const REAL_FEEDS: string | undefined = findFeeds(process.env['QUAI_FEEDS'])

function findFeeds(folder: string | undefined): string | undefined {
  if (folder === undefined || folder === '') return undefined
  const inner = join(folder, 'gtfs')
  return existsSync(inner) ? inner : folder
}

/** The folder with real OpenStreetMap extracts, if the run has one: `osm` in QUAI_FEEDS. */
export const REAL_EXTRACTS: string | undefined = findExtracts(process.env['QUAI_FEEDS'])

function findExtracts(folder: string | undefined): string | undefined {
  const inner = folder === undefined || folder === '' ? undefined : join(folder, 'osm')
  return inner !== undefined && existsSync(inner) ? inner : undefined
}
