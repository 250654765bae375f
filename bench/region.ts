// Generates a region of any size: many copies of one city side by side, each with its own ids. As the number of stop
// times grows, the proportions of stops, patterns and trips stay the same, unlike in one city that grows.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeCity } from '../src/demo/city.ts'

/** For each file, the columns whose ids are different in each copy. All other columns are the same in all copies. */
const OWN_IDS: Readonly<Record<string, readonly string[]>> = {
  'routes.txt': ['route_id'],
  'trips.txt': ['route_id', 'trip_id', 'block_id', 'shape_id'],
  'stops.txt': ['stop_id', 'parent_station', 'level_id'],
  'stop_times.txt': ['trip_id', 'stop_id'],
  'frequencies.txt': ['trip_id'],
  'shapes.txt': ['shape_id'],
  'transfers.txt': ['from_stop_id', 'to_stop_id'],
  'levels.txt': ['level_id'],
  'pathways.txt': ['pathway_id', 'from_stop_id', 'to_stop_id'],
}
const SHARED = ['agency.txt', 'calendar.txt', 'calendar_dates.txt', 'feed_info.txt']
/** Placeholder for the prefix of a copy's ids. */
const PREFIX = '\u0001'
/** The mark before and after each longitude in the template. Longitudes are different in each copy. */
const MOVED = '\u0002'
/** Distance between two copies in degrees of longitude; the cities do not touch. */
const APART = 0.6

/** Writes `copies` copies of a city of the given scale. Returns the number of stop times. */
export async function writeRegion(
  folder: string,
  { scale, copies }: { scale: number; copies: number },
): Promise<number> {
  mkdirSync(folder, { recursive: true })
  const city = makeCity({ seed: 1, scale, firstDate: 20260901, days: 120 })
  let stopTimes = 0
  for (const file of city.files) {
    const ids = OWN_IDS[file.name]
    if (ids === undefined && !SHARED.includes(file.name)) continue
    const text = [...file.chunks()].join('')
    const headEnd = text.indexOf('\n') + 1
    const [head, body] = [text.slice(0, headEnd), text.slice(headEnd)]
    const writer = Bun.file(join(folder, file.name)).writer()
    writer.write(head)
    if (ids === undefined) writer.write(body)
    else {
      const template = toTemplate(head.trim().split(','), body, ids)
      for (let copy = 0; copy < copies; copy++) {
        writer.write(copyOf(template, copy))
        await writer.flush()
      }
    }
    await writer.end()
    if (file.name === 'stop_times.txt') stopTimes = (body.split('\n').length - 1) * copies
  }
  return stopTimes
}

/** The rows as a template: each id has a mark before it, and each longitude has one before and one after it. */
function toTemplate(columns: readonly string[], body: string, ids: readonly string[]): string {
  const own = columns.map((column) => ids.includes(column))
  const moved = columns.map((column) => column === 'stop_lon' || column === 'shape_pt_lon')
  const rows = body.split('\n').filter((row) => row !== '')
  const marked = rows.map((row) =>
    fieldsOf(row)
      .map((field, at) => {
        if (field === '') return field
        if (moved[at] === true) return `${MOVED}${field}${MOVED}`
        return own[at] === true ? PREFIX + field : field
      })
      .join(','),
  )
  return marked.map((row) => `${row}\n`).join('')
}

/** The fields of a row, with their quotes. Values in a generated city contain no line breaks. */
function fieldsOf(row: string): string[] {
  return (
    row
      .match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)
      ?.map((field) => field.replace(/,$/, ''))
      .slice(0, row.endsWith(',') ? undefined : -1) ?? []
  )
}

function copyOf(template: string, copy: number): string {
  const named = template.replaceAll(PREFIX, `${copy}.`)
  const parts = named.split(MOVED) // every second part is a longitude
  return parts.map((part, at) => (at % 2 === 0 ? part : (Number(part) + copy * APART).toFixed(6))).join('')
}
