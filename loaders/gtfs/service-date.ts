// Parses GTFS dates (yyyymmdd) to days after 1970-01-01.

const MILLIS_PER_DAY = 86_400_000

/** A yyyymmdd date as days after 1970-01-01; NaN if the day does not exist. */
export function parseServiceDate(date: number): number {
  const year = Math.floor(date / 10_000)
  const month = Math.floor(date / 100) % 100
  const day = date % 100
  if (!(year >= 1900 && year <= 9999)) return Number.NaN
  const millis = Date.UTC(year, month - 1, day)
  const back = new Date(millis)
  return back.getUTCMonth() === month - 1 && back.getUTCDate() === day ? millis / MILLIS_PER_DAY : Number.NaN
}
