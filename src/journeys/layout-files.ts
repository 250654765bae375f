// The layouts of large networks, in files next to their snapshots. The files are made by the import or, if they are
// missing, by the first planner that needs them. All planners map the files into memory, so the first query after a
// start is as fast as later ones.
import { rmSync, statSync } from 'node:fs'
import { fillArrays, type LayoutShare, type SharedLayout, takeArrays } from '../../indexes/journeys/shared-layouts.ts'
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import type { TypedArray } from '../../loaders/columns.ts'
import { encodeSnapshot, findCorruptColumns, openSnapshot, SnapshotUnusable } from '../../loaders/snapshot-file.ts'
import { DEFAULT_JOURNEYS, type JourneySettings } from '../networks/network.ts'
import { layoutPath, listLayouts, snapshotBytes } from '../networks/snapshot-store.ts'
import { isErrno } from '../system/errno.ts'
import { writeFileWhole } from '../system/whole-file.ts'

/** Version of the format: must be raised with every change to the content or meaning of a layout. */
export const LAYOUT_FORMAT = 1

/**
 * Minimum number of trips of a network whose layouts are written to files. Smaller networks are laid out in less than a
 * second.
 */
const LARGE_TRIPS = 200_000
/**
 * Maximum number of files kept for a snapshot, by kind of layout. `changes` files contain the transfers, each for one
 * profile and version of the streets. `days` files contain the trips, each for some of the days.
 */
const MOST_FILES = { changes: 3, days: 4 } as const

/** Error codes that mean that no more files can be written to a folder. */
const NOT_WRITABLE = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EACCES', 'EPERM', 'EROFS', 'ENOENT']

type LayoutKind = SharedLayout['kind']

interface LayoutMeta {
  readonly format: number
  /** Identifies the snapshot, the rules and the days. */
  readonly name: string
  readonly shape: unknown
}

/** Where the layout files of a snapshot are. */
export interface LayoutPlace {
  /** Path of the snapshot that the layouts belong to. */
  readonly snapshotPath: string
  /** A name that changes with everything that affects the layouts. */
  readonly name: string
  /** Called if a file cannot be written. */
  readonly warn: (message: string) => void
}

/** The settings that layouts depend on. */
export type LayoutRules = Pick<JourneySettings, 'transferWalkMeters' | 'changeSeconds'>

/**
 * The rules by which an import makes a network's layouts. Undefined if walks follow streets, because the import then
 * makes no layouts.
 */
export function layoutRulesOf(journeys = DEFAULT_JOURNEYS, hasStreets = false): LayoutRules | undefined {
  const { transferWalkMeters, changeSeconds } = journeys
  return hasStreets ? undefined : { transferWalkMeters, changeSeconds }
}

/**
 * A name made of everything that the layouts of a timetable depend on, if walks are straight lines.
 * @param snapshotId the id of the timetable's snapshot
 */
export function nameLayouts(snapshotId: string, of: LayoutRules & { readonly isWheelchair: boolean }): string {
  return [snapshotId, of.isWheelchair, of.transferWalkMeters, of.changeSeconds].join(' ')
}

/** Whether a timetable is large enough for its layouts to be written to files. */
export function isLarge({ trips }: Timetable): boolean {
  return trips.id.length >= LARGE_TRIPS
}

/**
 * Stores layouts in files, which all planners can open.
 * @param others the store for layouts that cannot be written to a file
 */
export function shareInFiles(place: LayoutPlace, others?: LayoutShare): LayoutShare {
  const nameOf = (key: string) => `${place.name} ${key}`
  return {
    isLasting: true,
    find: (key) => {
      const name = nameOf(key)
      return (
        others?.find(key) ??
        openLayout(pathOf(place, 'changes', name), name) ??
        openLayout(pathOf(place, 'days', name), name)
      )
    },
    put: (key, layout) => {
      const name = nameOf(key)
      const path = pathOf(place, layout.kind, name)
      const opened = writeLayout(path, { name, layout }, place) ? openLayout(path, name) : undefined
      // The file contains the layout that was just written, so it has the type of that layout.
      return (opened as typeof layout | undefined) ?? others?.put(key, layout) ?? layout
    },
  }
}

function pathOf({ snapshotPath }: LayoutPlace, kind: LayoutKind, name: string): string {
  return layoutPath(snapshotPath, `${kind}-${Bun.hash(name).toString(16)}`)
}

/** Opens a layout; undefined if the file is missing, damaged, or of another version. */
function openLayout(path: string, name: string): SharedLayout | undefined {
  try {
    if (statSync(path).size === 0) return undefined
    const opened = openSnapshot(snapshotBytes(path))
    const meta = opened.meta as LayoutMeta
    if (meta.format !== LAYOUT_FORMAT || meta.name !== name || findCorruptColumns(opened).length > 0) return undefined
    // `writeLayout` wrote the file, so its content has this type.
    return fillArrays(meta.shape, [...opened.columns.values()]) as SharedLayout
  } catch (error) {
    if (isErrno(error, 'ENOENT') || error instanceof SnapshotUnusable) return undefined
    throw error
  }
}

/**
 * Writes a layout to a file, and removes the oldest files of its kind if there are more than MOST_FILES. Returns false
 * if the file cannot be written.
 */
function writeLayout(
  path: string,
  { name, layout }: { readonly name: string; readonly layout: SharedLayout },
  { snapshotPath, warn }: LayoutPlace,
): boolean {
  const { shape, arrays } = takeArrays(layout)
  const meta: LayoutMeta = { format: LAYOUT_FORMAT, name, shape }
  // All arrays in a layout have types that snapshot columns can have.
  const columns = new Map(arrays.map((array, place) => [String(place), array as TypedArray]))
  try {
    writeFileWhole(path, encodeSnapshot(meta, columns))
    dropOldest(snapshotPath, layout.kind)
    return true
  } catch (error) {
    if (!isErrno(error, ...NOT_WRITABLE)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    warn(
      `the layouts of the journey search cannot be saved (${reason}); after the next start, the first journeys wait until the layouts are built again`,
    )
    return false
  }
}

function dropOldest(snapshotPath: string, kind: LayoutKind): void {
  const files = listLayouts(snapshotPath, `${kind}-`)
  // Another process may have removed some files since they were listed.
  const timeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const newestFirst = files.map((path) => ({ path, time: timeOf(path) })).sort((a, b) => b.time - a.time)
  for (const { path } of newestFirst.slice(MOST_FILES[kind])) rmSync(path, { force: true })
}
