// The small files that are texts: feed_info.txt, attributions.txt, and the tables that later parts read.
import { GrowingColumn, sealColumn } from '../columns.ts'
import { scanCsv } from '../csv.ts'
import { parseServiceDate } from './calendars.ts'
import { type Attribution, CARRIED_FILES, type CarriedTable, type FeedInfo } from './feed.ts'
import { type FeedReading, readTable, type TableRow } from './table-reader.ts'

const INFO_COLUMNS = [
  'feed_publisher_name',
  'feed_publisher_url',
  'feed_lang',
  'feed_version',
  'feed_start_date',
  'feed_end_date',
] as const

/** The first row of feed_info.txt. */
export async function loadFeedInfo(reading: FeedReading): Promise<FeedInfo | undefined> {
  let info: FeedInfo | undefined
  await readTable(reading, { file: 'feed_info.txt', columns: INFO_COLUMNS, required: [] }, (row) => {
    info ??= {
      publisherName: row.text('feed_publisher_name'),
      publisherUrl: row.text('feed_publisher_url'),
      lang: row.text('feed_lang'),
      version: row.text('feed_version'),
      startDate: readDate(row, 'feed_start_date'),
      endDate: readDate(row, 'feed_end_date'),
    }
  })
  return info
}

function readDate(row: TableRow<(typeof INFO_COLUMNS)[number]>, name: 'feed_start_date' | 'feed_end_date'): number {
  if (row.isEmpty(name)) return 0
  const date = row.integer(name)
  if (!Number.isNaN(parseServiceDate(date))) return date
  row.repair('invalid_date', name)
  return 0
}

/** attributions.txt. */
export async function loadAttributions(reading: FeedReading): Promise<Attribution[]> {
  const attributions: Attribution[] = []
  const columns = ['organization_name', 'is_producer', 'is_operator', 'is_authority', 'attribution_url'] as const
  await readTable(reading, { file: 'attributions.txt', columns, required: [] }, (row) => {
    if (row.lacks('organization_name')) return
    const claim = (name: 'is_producer' | 'is_operator' | 'is_authority') =>
      row.choice(name, { min: 0, max: 1, fallback: 0 }) === 1
    attributions.push({
      organizationName: row.text('organization_name'),
      isProducer: claim('is_producer'),
      isOperator: claim('is_operator'),
      isAuthority: claim('is_authority'),
      url: row.text('attribution_url'),
    })
  })
  return attributions
}

/** The tables that are carried as texts. */
export async function loadCarriedTables(reading: FeedReading): Promise<CarriedTable[]> {
  const tables: CarriedTable[] = []
  for (const file of CARRIED_FILES) {
    const chunks = reading.source.open(file)
    if (chunks === undefined) continue
    let columns: { name: string; place: number; values: GrowingColumn<Uint32Array> }[] = []
    let count = 0
    await scanCsv(chunks, {
      file,
      problems: reading.problems,
      columns: undefined,
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
    tables.push({
      name: file,
      count,
      columns: columns.map(({ name, values }) => ({ name, values: sealColumn(values.seal()) })),
    })
  }
  return tables
}
