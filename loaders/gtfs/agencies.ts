// agency.txt: who runs the lines, and the zone in which their times are counted.
import { GrowingColumn, sealColumn } from '../columns.ts'
import type { AgencyTable } from './feed.ts'
import { type FeedReading, RowsById, readTable, refuse } from './table-reader.ts'

const FILE = 'agency.txt'

/** The agencies, and their rows by id. */
export interface LoadedAgencies {
  readonly table: AgencyTable
  readonly byId: RowsById
}

/**
 * Reads agency.txt. An agency without a name keeps its row, named by its id: all its lines hang on it. Refuses a feed without an agency, with an unknown zone, or with
 * several zones.
 */
export async function loadAgencies(reading: FeedReading): Promise<LoadedAgencies> {
  const id = new GrowingColumn(Uint32Array, 8)
  const name = new GrowingColumn(Uint32Array, 8)
  const url = new GrowingColumn(Uint32Array, 8)
  const timezone = new GrowingColumn(Uint32Array, 8)
  const lang = new GrowingColumn(Uint32Array, 8)
  const byId = new RowsById()
  let zone = ''
  /** Line of the agency without an id, 0 where each has one. */
  let namelessLine = 0
  const isThere = await readTable(
    reading,
    {
      file: FILE,
      columns: ['agency_id', 'agency_name', 'agency_url', 'agency_timezone', 'agency_lang'],
      required: ['agency_name', 'agency_timezone'],
    },
    (row) => {
      const agencyId = row.string('agency_id')
      if (byId.find(agencyId) >= 0) {
        row.drop('duplicate_key', 'agency_id')
        return
      }
      const agencyZone = row.text('agency_timezone')
      if (!isTimezone(agencyZone)) refuse(FILE, { rule: 'invalid_timezone', example: agencyZone, line: row.line })
      if (zone !== '' && zone !== agencyZone) {
        refuse(FILE, { rule: 'inconsistent_agency_timezone', example: `${zone} and ${agencyZone}`, line: row.line })
      }
      zone = agencyZone
      if (row.isEmpty('agency_id')) namelessLine = row.line
      byId.add(agencyId, id.length)
      id.push(agencyId)
      if (row.isEmpty('agency_name')) row.repair('missing_required_field', 'agency_name')
      name.push(row.isEmpty('agency_name') ? agencyId : row.string('agency_name'))
      url.push(reading.strings.internText(row.webAddress('agency_url')))
      timezone.push(row.string('agency_timezone'))
      lang.push(reading.strings.internText(row.language('agency_lang')))
    },
  )
  if (!isThere) refuse(FILE, { rule: 'missing_required_file', example: FILE })
  if (id.length === 0) refuse(FILE, { rule: 'empty_file', example: 'no agency' })
  if (id.length > 1) reportMissingId(reading, namelessLine)
  return {
    byId,
    table: {
      count: id.length,
      id: sealColumn(id.seal()),
      name: sealColumn(name.seal()),
      url: sealColumn(url.seal()),
      timezone: sealColumn(timezone.seal()),
      lang: sealColumn(lang.seal()),
    },
  }
}

/** Where there are several agencies, each needs an id. */
function reportMissingId({ problems }: FeedReading, line: number): void {
  if (line === 0) return
  problems.report({ rule: 'missing_required_agency_id', file: FILE, line, field: 'agency_id', action: 'repaired' })
}

/** Whether a text names a zone of the IANA database; a bare offset does not. */
export function isTimezone(zone: string): boolean {
  if (zone === '' || /^[+-]\d/.test(zone)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
