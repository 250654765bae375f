// Email addresses and phone numbers of agencies and publishers. The service does not use or store them. It reports
// malformed addresses and numbers, because other users of the feed may need them.
import type { TableRow } from './table-reader.ts'

/** Maximum length of an email address. */
const MAX_EMAIL_LENGTH = 254
/** Minimum number of digits in a phone number. */
const MIN_PHONE_DIGITS = 3
/** Maximum number of digits in a phone number, including its extension. */
const MAX_PHONE_DIGITS = 24
/**
 * The characters allowed in phone numbers: digits, separators, and letters (as on telephone keys, or before an
 * extension).
 */
const PHONE_CHARACTERS = /^[\p{Nd}\p{L}\p{Zs}\p{Pd}+*#~.,;:/()]*$/u

/** Reports a malformed email address. */
export function checkEmail<Name extends string>(row: TableRow<Name>, field: NoInfer<Name>): void {
  if (!row.isEmpty(field) && !isEmail(row.text(field))) row.reportValue('invalid_email', field, 'error')
}

/** Reports a malformed phone number. */
export function checkPhone<Name extends string>(row: TableRow<Name>, field: NoInfer<Name>): void {
  if (!row.isEmpty(field) && !isPhoneNumber(row.text(field))) row.reportValue('invalid_phone_number', field, 'error')
}

/** Whether a string looks like an email address. */
function isEmail(text: string): boolean {
  if (text.length > MAX_EMAIL_LENGTH) return false
  const [local = '', domain = '', ...more] = text.split('@')
  const labels = domain.split('.')
  return more.length === 0 && local !== '' && !/\s/.test(text) && labels.length > 1 && !labels.includes('')
}

/** Whether a string looks like a phone number from any country. */
function isPhoneNumber(text: string): boolean {
  if (!PHONE_CHARACTERS.test(text)) return false
  const digits = text.match(/\p{Nd}/gu)?.length ?? 0
  return digits >= MIN_PHONE_DIGITS && digits <= MAX_PHONE_DIGITS
}
