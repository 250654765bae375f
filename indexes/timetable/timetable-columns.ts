// A timetable as named columns and back: what a snapshot file holds of it. `stops.id` names the column `id` of the
// group `stops`; the carried tables' columns keep their own names, which hold dots, behind the group's first dot.
import { columnArray, type TypedArray } from '../../loaders/columns.ts'
import type { NamedColumns } from '../../loaders/snapshot-file.ts'
import type { Timetable } from './timetable.ts'

type GroupName = Exclude<keyof Timetable, 'meta'>

const GROUPS: Readonly<Record<GroupName, true>> = {
  strings: true,
  stops: true,
  areas: true,
  stationParts: true,
  lines: true,
  directions: true,
  patterns: true,
  trips: true,
  callProfiles: true,
  stopTimes: true,
  frequencies: true,
  boards: true,
  serviceDays: true,
  shapes: true,
  transfers: true,
  stationWays: true,
  stopWords: true,
  placeOrders: true,
  pointTrees: true,
  carried: true,
}

/** All columns of a timetable by name. */
export function toNamedColumns(timetable: Timetable): Map<string, TypedArray> {
  const columns = new Map<string, TypedArray>()
  for (const group of Object.keys(GROUPS) as GroupName[]) {
    for (const [name, column] of Object.entries(timetable[group])) columns.set(`${group}.${name}`, columnArray(column))
  }
  return columns
}

/** The timetable over named columns; throws where a group has none of its columns. */
export function fromNamedColumns(meta: Timetable['meta'], columns: NamedColumns): Timetable {
  const groups: Record<string, Record<string, TypedArray>> = {}
  for (const group of Object.keys(GROUPS)) groups[group] = {}
  for (const [name, array] of columns) {
    const dot = name.indexOf('.')
    const group = groups[name.slice(0, dot)]
    if (group === undefined) throw new Error(`the snapshot has a column of an unknown group: ${name}`)
    group[name.slice(dot + 1)] = array
  }
  for (const [group, members] of Object.entries(groups)) {
    if (group !== 'carried' && Object.keys(members).length === 0) throw new Error(`the snapshot lacks ${group}`)
  }
  return { meta, ...groups } as Timetable
}
