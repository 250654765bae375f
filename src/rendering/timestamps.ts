// RFC 3339 timestamps, formatted by hand. Local times use the time zone's UTC offsets, which are cached; other times
// are in UTC. A board contains ten timestamps, so formatting must be fast. Consecutive timestamps of the same day reuse
// the date, and the last offset used is tried first.

/** A time range [from, to), in Unix seconds, in which the zone has one UTC offset. */
interface OffsetSpan {
  readonly fromSeconds: number
  readonly toSeconds: number
  readonly offsetSeconds: number
  /** The offset as a string, such as `+01:00`. */
  readonly text: string
}

/**
 * Maximum number of time ranges that are cached per zone. This is more than any timetable needs, and few enough to
 * search one by one.
 */
const SPAN_LIMIT = 32
const DAY_SECONDS = 86_400
const encoder = new TextEncoder()
const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))

/** Local time in one zone. Created once per view of a network. */
export class LocalTime {
  private readonly zone: string
  private spans: OffsetSpan[] = []
  private span: OffsetSpan = { fromSeconds: 0, toSeconds: 0, offsetSeconds: 0, text: '' }
  private day = Number.NaN
  private dayText = ''
  private bytesDay = Number.NaN
  private bytesSpan = this.span
  /** The timestamp for midnight of the last day written. `write` copies it and sets the time of day in the copy. */
  private dayBytes = new Uint8Array(0)

  /** @param zone IANA name of the time zone */
  constructor(zone: string) {
    this.zone = zone
  }

  /** A timestamp such as `2024-01-03T18:15:10+01:00`. @param epochSeconds whole Unix seconds */
  text(epochSeconds: number): string {
    const span = this.spanAt(epochSeconds)
    const local = epochSeconds + span.offsetSeconds
    const day = Math.floor(local / DAY_SECONDS)
    if (day !== this.day) {
      this.day = day
      this.dayText = `${dateText(day)}T`
    }
    return this.dayText + clockText(local - day * DAY_SECONDS) + span.text
  }

  /** Local time as the number of seconds since 1970-01-01T00:00:00 on the zone's clock. */
  localSeconds(epochSeconds: number): number {
    return epochSeconds + this.spanAt(epochSeconds).offsetSeconds
  }

  /** Writes the timestamp that `text` returns, which has 25 characters, to `into`, starting at `offset`. */
  write(epochSeconds: number, into: Uint8Array, offset: number): void {
    const span = this.spanAt(epochSeconds)
    const local = epochSeconds + span.offsetSeconds
    const day = Math.floor(local / DAY_SECONDS)
    if (day !== this.bytesDay || span !== this.bytesSpan) {
      this.bytesDay = day
      this.bytesSpan = span
      this.dayBytes = encoder.encode(`${dateText(day)}T00:00:00${span.text}`)
    }
    into.set(this.dayBytes, offset)
    const second = local - day * DAY_SECONDS
    const minutes = Math.floor(second / 60)
    const hours = Math.floor(minutes / 60)
    writeTwoDigits(hours, into, offset + 11)
    writeTwoDigits(minutes - hours * 60, into, offset + 14)
    writeTwoDigits(second - minutes * 60, into, offset + 17)
  }

  private spanAt(epochSeconds: number): OffsetSpan {
    const span = this.span
    if (epochSeconds >= span.fromSeconds && epochSeconds < span.toSeconds) return span
    return this.findSpan(epochSeconds)
  }

  private findSpan(epochSeconds: number): OffsetSpan {
    let found = this.spans.find((span) => epochSeconds >= span.fromSeconds && epochSeconds < span.toSeconds)
    if (found === undefined) {
      if (this.spans.length >= SPAN_LIMIT) this.spans = []
      found = loadSpan(this.zone, epochSeconds)
      this.spans.push(found)
    }
    this.span = found
    return found
  }
}

function writeTwoDigits(number: number, into: Uint8Array, offset: number): void {
  const tens = Math.floor(number / 10)
  into[offset] = 48 + tens
  into[offset + 1] = 48 + number - tens * 10
}

/**
 * The range that contains an instant, read from the time zone database. Offsets are rounded to minutes, as required by
 * RFC 3339.
 */
function loadSpan(zone: string, epochSeconds: number): OffsetSpan {
  const moment = Temporal.Instant.fromEpochMilliseconds(epochSeconds * 1000).toZonedDateTimeISO(zone)
  const next = moment.getTimeZoneTransition('next')
  // `getTimeZoneTransition('previous')` excludes a transition at the instant itself. One second is added to include it.
  const previous = moment.add({ seconds: 1 }).getTimeZoneTransition('previous')
  const minutes = Math.round(moment.offsetNanoseconds / 6e10)
  const size = Math.abs(minutes)
  const text = `${minutes < 0 ? '-' : '+'}${TWO_DIGITS[Math.floor(size / 60)]}:${TWO_DIGITS[size % 60]}`
  return {
    fromSeconds: previous === null ? -Infinity : Math.ceil(previous.epochMilliseconds / 1000),
    toSeconds: next === null ? Infinity : Math.ceil(next.epochMilliseconds / 1000),
    offsetSeconds: minutes * 60,
    text,
  }
}

/**
 * A timestamp such as `2024-01-03T18:15:10Z`, without fractions of a second.
 * @param epochMillis Unix milliseconds
 */
export function utcText(epochMillis: number): string {
  const seconds = Math.floor(epochMillis / 1000)
  const day = Math.floor(seconds / DAY_SECONDS)
  return `${dateText(day)}T${clockText(seconds - day * DAY_SECONDS)}Z`
}

/** A time of day such as `18:15:10`. The hours may exceed 24. @param seconds seconds since midnight */
export function clockText(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  return `${TWO_DIGITS[hours] ?? hours}:${TWO_DIGITS[minutes - hours * 60]}:${TWO_DIGITS[seconds - minutes * 60]}`
}

/** A date such as `2024-01-03`. @param day days since 1970-01-01 */
export function dateText(day: number): string {
  return new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 10)
}
