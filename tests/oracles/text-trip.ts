// Finds the expected calls of a trip on a day, with their times, in the text of its feed. The result is undefined if
// the trip doesn't run on that day.
import type { JourneyFeed } from './journey-feed.ts'
import type { CleanTrip } from './text-trips.ts'

/** A call with its times in seconds after 1970. The first arrival and the last departure are null. */
export interface TextCall {
  readonly stopId: string
  readonly arrival: number | null
  readonly departure: number | null
}

/**
 * The calls of a trip; undefined if it doesn't run.
 * @param name `<yyyymmdd>:<trip id>`, followed by `@HH:MM:SS` for a frequency run
 */
export function callsOfName({ trips, calendar, zeroOf }: JourneyFeed, name: string): TextCall[] | undefined {
  const [date, rest] = [name.slice(0, 8), name.slice(9)]
  const whole = trips.find(({ id }) => id === rest)
  const [, base = '', hours, minutes, seconds] = /^(.*)@(\d+):(\d\d):(\d\d)$/s.exec(rest) ?? []
  const trip = whole ?? trips.find(({ id }) => id === base)
  if (trip === undefined || !calendar.runs(trip.serviceId, date)) return undefined
  const start = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  if (trip.hasFrequencies !== (whole === undefined)) return undefined
  if (trip.hasFrequencies && !trip.starts.includes(start)) return undefined
  const shift = trip.hasFrequencies ? start - (trip.departures[0] ?? 0) : 0
  const at = (time: number | undefined) => zeroOf(date) + (time ?? Number.NaN) + shift
  const last = trip.stopIds.length - 1
  return trip.stopIds.map((stopId, call) => ({
    stopId,
    arrival: call === 0 ? null : at(trip.arrivals[call]),
    departure: call === last ? null : at(trip.departures[call]),
  }))
}

/** All names that a trip can have on a day: one, or one for each frequency run. */
export function namesOf({ id, hasFrequencies, starts }: CleanTrip, date: string): string[] {
  if (!hasFrequencies) return [`${date}:${id}`]
  return starts.map((start) => {
    const part = (seconds: number) => String(seconds).padStart(2, '0')
    return `${date}:${id}@${part(Math.floor(start / 3600))}:${part(Math.floor(start / 60) % 60)}:${part(start % 60)}`
  })
}
