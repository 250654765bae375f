// agency.txt: the operators of the lines, and the time zone in which all times are given.
import { GrowingColumn, sealColumns } from '../columns.ts'
import { checkEmail, checkPhone } from './contacts.ts'
import type { AgencyTable } from './feed.ts'
import { type FeedReading, RowsById, readTable, refuse } from './table-reader.ts'

const FILE = 'agency.txt'
/**
 * Maximum number of agencies in a feed. It is limited because each agency is an object in the timetable's metadata. A
 * national feed has a few hundred.
 */
const MAX_AGENCIES = 10_000
const COLUMNS = [
  'agency_id',
  'agency_name',
  'agency_url',
  'agency_timezone',
  'agency_lang',
  'agency_email',
  'agency_phone',
] as const

/** The agencies, and their row numbers by id. */
export interface LoadedAgencies {
  readonly table: AgencyTable
  readonly byId: RowsById
}

/**
 * Reads agency.txt. An agency without a name gets its id as the name. It is not dropped, because its lines need an
 * agency. Refuses a feed without an agency. Also refuses a feed with an unknown time zone or with several time zones,
 * unless the configuration sets a time zone.
 */
export async function loadAgencies(reading: FeedReading): Promise<LoadedAgencies> {
  const id = new GrowingColumn(Uint32Array, 8)
  const name = new GrowingColumn(Uint32Array, 8)
  const url = new GrowingColumn(Uint32Array, 8)
  const timezone = new GrowingColumn(Uint32Array, 8)
  const lang = new GrowingColumn(Uint32Array, 8)
  const byId = new RowsById()
  let zone = ''
  /** Line number of the agency that has no id; 0 if all agencies have an id. */
  let namelessLine = 0
  const isThere = await readTable(
    reading,
    {
      file: FILE,
      columns: COLUMNS,
      required: ['agency_name', 'agency_timezone'],
      maxRows: MAX_AGENCIES,
    },
    (row) => {
      const agencyId = row.string('agency_id')
      if (byId.find(agencyId) >= 0) {
        row.drop('duplicate_key', 'agency_id')
        return
      }
      const agencyZone = row.text('agency_timezone')
      const fault = findZoneFault(agencyZone, zone)
      if (fault !== undefined && reading.timezone === undefined) refuse(FILE, { ...fault, line: row.line })
      if (fault !== undefined) row.repair(fault.rule, 'agency_timezone', fault.example)
      if (fault?.rule !== 'invalid_timezone') zone = agencyZone
      if (row.isEmpty('agency_id')) namelessLine = row.line
      byId.add(agencyId, id.length)
      id.push(agencyId)
      if (row.isEmpty('agency_name')) row.repair('missing_required_field', 'agency_name')
      name.push(row.isEmpty('agency_name') ? agencyId : row.string('agency_name'))
      url.push(reading.strings.internText(row.webAddress('agency_url')))
      timezone.push(reading.strings.internText(reading.timezone ?? agencyZone))
      lang.push(reading.strings.internText(row.language('agency_lang')))
      checkEmail(row, 'agency_email')
      checkPhone(row, 'agency_phone')
    },
  )
  if (!isThere) refuse(FILE, { rule: 'missing_required_file', example: FILE })
  if (id.length === 0) refuse(FILE, { rule: 'empty_file', example: 'no agency' })
  if (id.length > 1) reportMissingId(reading, namelessLine)
  return {
    byId,
    table: {
      count: id.length,
      ...sealColumns<Omit<AgencyTable, 'count'>>({ id, name, url, timezone, lang }),
    },
  }
}

/**
 * The problem with an agency's time zone; undefined if there is none.
 * @param before zone of the last agency with a valid zone; '' if there is none
 */
function findZoneFault(
  zone: string,
  before: string,
): { rule: 'invalid_timezone' | 'inconsistent_agency_timezone'; example: string } | undefined {
  if (!isTimezone(zone)) return { rule: 'invalid_timezone', example: zone === '' ? 'it is empty' : zone }
  if (before === '' || before === zone) return undefined
  return { rule: 'inconsistent_agency_timezone', example: `${before} and ${zone}` }
}

/**
 * Reports the agency without an id. Called only if there are several agencies, because each of them then needs an id.
 */
function reportMissingId({ problems }: FeedReading, line: number): void {
  if (line === 0) return
  problems.report({ rule: 'missing_required_agency_id', file: FILE, line, field: 'agency_id', action: 'repaired' })
}

/** Whether a string is the name of a zone in the IANA database. A plain UTC offset is not. */
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
