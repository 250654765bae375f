// attributions.txt: the organizations that must be credited.
import { checkEmail, checkPhone } from './contacts.ts'
import type { Attribution } from './feed.ts'
import { type FeedReading, readTable, readUnlessBroken } from './table-reader.ts'

const FILE = 'attributions.txt'
const COLUMNS = [
  'organization_name',
  'is_producer',
  'is_operator',
  'is_authority',
  'attribution_url',
  'attribution_email',
  'attribution_phone',
] as const

/** Reads attributions.txt. */
export async function loadAttributions(reading: FeedReading): Promise<Attribution[]> {
  const attributions: Attribution[] = []
  const shape = { file: FILE, columns: COLUMNS, required: [] }
  const read = () =>
    readTable(reading, shape, (row) => {
      if (row.lacks('organization_name')) return
      const claim = (name: 'is_producer' | 'is_operator' | 'is_authority') =>
        row.choice(name, { min: 0, max: 1, fallback: 0 }) === 1
      attributions.push({
        organizationName: row.text('organization_name'),
        isProducer: claim('is_producer'),
        isOperator: claim('is_operator'),
        isAuthority: claim('is_authority'),
        url: row.webAddress('attribution_url'),
      })
      checkEmail(row, 'attribution_email')
      checkPhone(row, 'attribution_phone')
    })
  const isRead = await readUnlessBroken(reading, { file: FILE, read })
  return isRead === undefined ? [] : attributions
}
