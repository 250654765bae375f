// Reads rows of the tables whose values a snapshot stores as strings (fares, areas, timeframes).
import { type Column, columnArray } from '../../loaders/columns.ts'
import { type StringIndex, textOf } from '../../loaders/strings.ts'
import type { Timetable } from '../timetable/timetable.ts'

/** A row, as a function from a column to its value; '' if the value is empty or the table does not have the column. */
export type CarriedRow = (column: string) => string

/** The rows of a table that the snapshot stores as strings, in feed order; none if the feed does not have the table. */
export function carriedRows(timetable: Timetable, file: string): CarriedRow[] {
  const table = timetable.meta.carried.find(({ name }) => name === file)
  if (table === undefined) return []
  const columns = new Map<string, Column<number, StringIndex>>()
  for (const name of table.columns) {
    const column = timetable.carried[`${file}/${name}`]
    if (column !== undefined) columns.set(name, column)
  }
  return Array.from({ length: table.count }, (_, row) => (name: string) => {
    const column = columns.get(name)
    return column === undefined ? '' : textOf(timetable.strings, columnArray(column)[row] as StringIndex)
  })
}

/** Whether a table that the snapshot stores as strings has a column, even if the column is empty. */
export function hasCarriedColumn(timetable: Timetable, file: string, column: string): boolean {
  return timetable.meta.carried.some(({ name, columns }) => name === file && columns.includes(column))
}
