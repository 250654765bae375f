// Captures of real GTFS-Realtime feeds: the files in the folder `gtfs-rt` next to the folder REAL_FEEDS (size.ts).
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { REAL_FEEDS } from '../../size.ts'

/** The paths of all captures, in order. Empty if there is no such folder. */
export function listCaptures(): string[] {
  const folder = REAL_FEEDS === undefined ? undefined : join(dirname(REAL_FEEDS), 'gtfs-rt')
  if (folder === undefined || !existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.pb'))
    .sort()
    .map((name) => join(folder, name))
}
