// The base map on disk: one PMTiles file next to the street graph. Its name contains a hash of what it is made from. A
// file with the expected name is therefore up to date, and browsers may cache its bytes.
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { HEAD_BYTES } from '../../indexes/ground/pmtiles-writer.ts'
import type { StreetMeta } from '../../indexes/streets/street-graph.ts'
import { isErrno } from '../system/errno.ts'
import { syncPath } from '../system/whole-file.ts'
import { findDamage, sealGround } from './ground-seal.ts'
import { openStreetFolder, streetFolder } from './street-store.ts'

/** Version of the tiles. Must be increased whenever the same extract results in different tiles. */
const GROUND_FORMAT = 5
const GROUND = /^ground-[0-9a-z]+\.pmtiles$/
const NUMBER_BASE = 36

/** The name of the base map that belongs to a graph. */
export function groundName({ content, stamp, keptRuns }: StreetMeta, hasBuildings: boolean): string {
  const made = JSON.stringify([GROUND_FORMAT, content ?? stamp, keptRuns, hasBuildings])
  return `ground-${Bun.hash(made).toString(NUMBER_BASE)}.pmtiles`
}

/** Paths of all base maps. */
export function listGrounds(dataDir: string): string[] {
  const folder = streetFolder(dataDir)
  try {
    return readdirSync(folder).flatMap((name) => (GROUND.test(name) ? [join(folder, name)] : []))
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}

/**
 * Removes damaged base maps, so that they are built again. Returns a line about the damage for each removed map.
 */
export function dropDamagedGrounds(dataDir: string): string[] {
  return listGrounds(dataDir).flatMap((path) => {
    const damage = findDamage(path)
    if (damage === undefined) return []
    rmSync(path, { force: true })
    return [`${basename(path)} is damaged and will be built again: ${damage}`]
  })
}

/** Removes all base maps except those whose paths are in `kept`. */
export function dropOldGrounds(dataDir: string, kept: readonly (string | undefined)[]): void {
  for (const path of listGrounds(dataDir)) if (!kept.includes(path)) rmSync(path, { force: true })
}

/**
 * Writes a base map to a temporary file, then renames the file.
 * @param make calls `append` with the content that follows the head in the file, then returns the head
 */
export function writeGround(
  dataDir: string,
  name: string,
  make: (append: (bytes: Uint8Array) => void) => Uint8Array,
): string {
  const path = join(openStreetFolder(dataDir), name)
  const aside = `${path}.${process.pid}.part`
  const file = openSync(aside, 'w+', 0o644)
  try {
    let at = HEAD_BYTES
    const write = (bytes: Uint8Array, from: number) => {
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, from + done)
    }
    const head = make((bytes) => {
      write(bytes, at)
      at += bytes.length
    })
    write(head, 0)
    sealGround(file)
    fsyncSync(file)
    renameSync(aside, path)
  } catch (error) {
    rmSync(aside, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  syncPath(streetFolder(dataDir))
  return path
}
