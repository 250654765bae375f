// Dates as yyyymmdd, and the offsets of time zones, using only Date and Intl. Part of the text oracle.

const DAY_SECONDS = 86_400
const DAY_MILLIS = 86_400_000

/** The UTC date of an instant, yyyymmdd. */
export function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10).replaceAll('-', '')
}

function greenwichMillis(date: string): number {
  return Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6, 8)))
}

/** All days from `first` to `last`, both inclusive, yyyymmdd. */
export function datesBetween(first: string, last: string): string[] {
  const dates: string[] = []
  for (let at = greenwichMillis(first); at <= greenwichMillis(last); at += DAY_MILLIS) dates.push(dateOf(at / 1000))
  return dates
}

/** The zero of a service day, in seconds after 1970: noon in the zone, as computed with Intl, minus twelve hours. */
export function zeroSeconds(zone: string, date: string): number {
  const noon = greenwichMillis(date) + DAY_MILLIS / 2
  // The offset depends on the instant, so it is computed for a guess, and then again for the corrected instant.
  const guess = noon - offsetMillis(zone, noon)
  return (noon - offsetMillis(zone, guess)) / 1000 - DAY_SECONDS / 2
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** The difference between a zone's clock and UTC at an instant, in milliseconds. */
export function offsetMillis(zone: string, instantMillis: number): number {
  let clock = clocks.get(zone)
  if (clock === undefined) {
    clock = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    clocks.set(zone, clock)
  }
  const part: Record<string, number> = {}
  for (const { type, value } of clock.formatToParts(instantMillis)) part[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
  return Date.UTC(year, month - 1, day, hour, minute, second) - instantMillis
}
