// RFC 3339 timestamps, written by hand: in a zone's local time from a cached table of its transitions, or in UTC.
// Boards write ten of these per answer, so that a day's date is worked out once and an offset is one comparison.

/** A stretch of time with one offset: [from, to) in seconds after 1970. */
interface OffsetSpan {
  readonly fromSeconds: number
  readonly toSeconds: number
  readonly offsetSeconds: number
  /** `+01:00` */
  readonly text: string
}

/** Spans kept of one zone; more than any timetable needs, few enough to search. */
const SPAN_LIMIT = 32
const DAY_SECONDS = 86_400
const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))

/** Local time of one zone. Made once for each network. */
export class LocalTime {
  private readonly zone: string
  private spans: OffsetSpan[] = []
  private span: OffsetSpan = { fromSeconds: 0, toSeconds: 0, offsetSeconds: 0, text: '' }
  private day = Number.NaN
  private dayText = ''

  /** @param zone IANA name */
  constructor(zone: string) {
    this.zone = zone
  }

  /** `2024-01-03T18:15:10+01:00` for whole seconds after 1970. */
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

/** Asks the zone database for the stretch around a moment. Offsets are rounded to minutes, as RFC 3339 prints them. */
function loadSpan(zone: string, epochSeconds: number): OffsetSpan {
  const moment = Temporal.Instant.fromEpochMilliseconds(epochSeconds * 1000).toZonedDateTimeISO(zone)
  const next = moment.getTimeZoneTransition('next')
  // "Previous" lies strictly before: asked from one second later, a transition at the moment itself counts.
  const previous = moment.add({ seconds: 1 }).getTimeZoneTransition('previous')
  const minutes = Math.round(moment.offsetNanoseconds / 6e10)
  const size = Math.abs(minutes)
  return {
    fromSeconds: previous === null ? -Infinity : Math.ceil(previous.epochMilliseconds / 1000),
    toSeconds: next === null ? Infinity : Math.ceil(next.epochMilliseconds / 1000),
    offsetSeconds: minutes * 60,
    text: `${minutes < 0 ? '-' : '+'}${TWO_DIGITS[Math.floor(size / 60)]}:${TWO_DIGITS[size % 60]}`,
  }
}

/** `2024-01-03T18:15:10Z` for milliseconds after 1970; the fraction is dropped. */
export function utcText(epochMillis: number): string {
  const seconds = Math.floor(epochMillis / 1000)
  const day = Math.floor(seconds / DAY_SECONDS)
  return `${dateText(day)}T${clockText(seconds - day * DAY_SECONDS)}Z`
}

/** `18:15:10` for seconds after midnight; hours may pass 24. */
export function clockText(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  return `${TWO_DIGITS[hours] ?? hours}:${TWO_DIGITS[minutes - hours * 60]}:${TWO_DIGITS[seconds - minutes * 60]}`
}

/** `2024-01-03` for days after 1970. */
export function dateText(day: number): string {
  return new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 10)
}
