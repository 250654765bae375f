// Carried tables: tables that are not interpreted here. All their fields are loaded as strings, which later stages
// read.
import { GrowingColumn } from '../columns.ts'
import { scanCsv } from '../csv.ts'
import { CARRIED_FILES, type CarriedTable } from './feed.ts'
import { type FeedReading, MAX_TABLE_ROWS, readUnlessBroken } from './table-reader.ts'

/** Reads the carried tables. A table that is not valid CSV is ignored and reported. */
export async function loadCarriedTables(reading: FeedReading): Promise<CarriedTable[]> {
  const tables: CarriedTable[] = []
  for (const file of CARRIED_FILES) {
    const table = await readUnlessBroken(reading, { file, read: () => loadCarriedTable(reading, file) })
    if (table !== undefined) tables.push(table)
  }
  return tables
}

async function loadCarriedTable(reading: FeedReading, file: string): Promise<CarriedTable | undefined> {
  const chunks = reading.source.open(file)
  if (chunks === undefined) return undefined
  let columns: { name: string; place: number; values: GrowingColumn<Uint32Array> }[] = []
  let count = 0
  await scanCsv(chunks, {
    file,
    problems: reading.problems,
    columns: undefined,
    maxRows: MAX_TABLE_ROWS,
    onHeader: (names) => {
      columns = names
        .map((name, place) => ({ name, place, values: new GrowingColumn(Uint32Array, 64) }))
        .filter((column) => column.name !== '')
    },
    onRow: (row) => {
      for (const { place, values } of columns) {
        values.push(reading.strings.internBytes(row.bytes, row.start(place), row.end(place)))
      }
      count++
    },
  })
  return {
    name: file,
    count,
    columns: columns.map(({ name, values }) => ({ name, values: values.seal() })),
  }
}
