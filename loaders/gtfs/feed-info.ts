// feed_info.txt: the feed's publisher, language and version.
import { checkEmail } from './contacts.ts'
import type { FeedInfo } from './feed.ts'
import { type FeedReading, readTable, readUnlessBroken, type TableRow } from './table-reader.ts'

const FILE = 'feed_info.txt'
const INFO_COLUMNS = [
  'feed_publisher_name',
  'feed_publisher_url',
  'feed_lang',
  'feed_version',
  'feed_start_date',
  'feed_end_date',
  'feed_contact_email',
] as const

/** Reads the first row of feed_info.txt. */
export async function loadFeedInfo(reading: FeedReading): Promise<FeedInfo | undefined> {
  let info: FeedInfo | undefined
  const shape = { file: FILE, columns: INFO_COLUMNS, required: [] }
  const read = () =>
    readTable(reading, shape, (row) => {
      checkEmail(row, 'feed_contact_email')
      info ??= {
        publisherName: row.text('feed_publisher_name'),
        publisherUrl: row.webAddress('feed_publisher_url'),
        lang: row.language('feed_lang'),
        version: row.text('feed_version'),
        startDate: readDate(row, 'feed_start_date'),
        endDate: readDate(row, 'feed_end_date'),
      }
    })
  const isRead = await readUnlessBroken(reading, { file: FILE, read })
  return isRead === undefined ? undefined : info
}

function readDate(row: TableRow<(typeof INFO_COLUMNS)[number]>, name: 'feed_start_date' | 'feed_end_date'): number {
  if (row.isEmpty(name)) return 0
  if (!Number.isNaN(row.date(name))) return row.integer(name)
  row.repair('invalid_date', name)
  return 0
}
