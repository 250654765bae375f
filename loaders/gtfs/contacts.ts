// E-mail addresses and telephone numbers of agencies and publishers. No part of the service uses them, so none is kept;
// a malformed one is reported, as riders and developers are given them by others.
import type { TableRow } from './table-reader.ts'

/** Longest address that mail can be sent to. */
const MAX_EMAIL_LENGTH = 254
/** Digits of the shortest number anybody can call, and of the longest with its extension. */
const MIN_PHONE_DIGITS = 3
const MAX_PHONE_DIGITS = 24
/** What stands in telephone numbers: digits, letters on keys or before an extension, and what groups them. */
const PHONE_CHARACTERS = /^[\p{Nd}\p{L}\p{Zs}\p{Pd}+*#~.,;:/()]*$/u

/** Reports a malformed e-mail address. */
export function checkEmail<Name extends string>(row: TableRow<Name>, field: NoInfer<Name>): void {
  if (!row.isEmpty(field) && !isEmail(row.text(field))) row.tell('invalid_email', field, 'error')
}

/** Reports a malformed telephone number. */
export function checkPhone<Name extends string>(row: TableRow<Name>, field: NoInfer<Name>): void {
  if (!row.isEmpty(field) && !isPhoneNumber(row.text(field))) row.tell('invalid_phone_number', field, 'error')
}

/** Whether a text has the form of an e-mail address. */
function isEmail(text: string): boolean {
  if (text.length > MAX_EMAIL_LENGTH) return false
  const [local = '', domain = '', ...more] = text.split('@')
  const labels = domain.split('.')
  return more.length === 0 && local !== '' && !/\s/.test(text) && labels.length > 1 && !labels.includes('')
}

/** Whether a text has the form of a telephone number, of any country. */
function isPhoneNumber(text: string): boolean {
  if (!PHONE_CHARACTERS.test(text)) return false
  const digits = text.match(/\p{Nd}/gu)?.length ?? 0
  return digits >= MIN_PHONE_DIGITS && digits <= MAX_PHONE_DIGITS
}
