// Formats times, distances and delays in the current language. Times are in the network's local time, which is read
// from the API's timestamps.
import { locale, toNumber } from '../../pages/app/language.ts'
import { texts } from './texts/texts.ts'

/** The time of day in an API timestamp, such as "14:05". */
export function toClock(timestamp: string): string {
  return timestamp.slice(11, 16)
}

/** The day and time in an API timestamp, such as "17 Nov, 14:05". */
export function toDayAndClock(timestamp: string): string {
  // The date is formatted as UTC, so it does not depend on the user's time zone.
  const day = new Date(`${timestamp.slice(0, 10)}T00:00:00Z`)
  const format = new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return `${format.format(day)}, ${toClock(timestamp)}`
}

/** Whether a departure is shown with the minutes until it leaves, instead of its time of day. */
export function isSoon(timestamp: string, nowMillis: number): boolean {
  return Date.parse(timestamp) - nowMillis < 3_600_000
}

/** The time until a departure, as boards show it: whole minutes within the next hour, otherwise the time of day. */
export function untilDeparture(timestamp: string, nowMillis: number): string {
  if (!isSoon(timestamp, nowMillis)) return toClock(timestamp)
  const minutes = Math.floor((Date.parse(timestamp) - nowMillis) / 60_000)
  return minutes < 1 ? texts().now : `${minutes} min`
}

/** Formats a duration, such as "45 s", "12 min" or "1 h 05". */
export function toDuration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`
}

/** Formats an age, such as "4 s", "3 min" or "2 h". */
export function toAge(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}

/** Formats a distance, such as "350 m" or "1.2 km". */
export function toDistance(meters: number): string {
  if (meters < 1_000) return `${Math.round(meters)} m`
  return `${new Intl.NumberFormat(locale(), { maximumFractionDigits: 1 }).format(meters / 1_000)} km`
}

/** Formats a mass of carbon dioxide, such as "148 g CO₂". */
export function toEmissions(grams: number): string {
  return `${toNumber(Math.round(grams))} g CO₂`
}

/** Formats an amount of money. @param amount in the smallest unit of the currency */
export function toMoney(amount: number, currency: string): string {
  const format = new Intl.NumberFormat(locale(), { style: 'currency', currency })
  const { maximumFractionDigits: decimals = 2 } = format.resolvedOptions()
  return format.format(amount / 10 ** decimals)
}

/** Formats a delay, such as "+3 min" or "−1 min"; undefined if the delay is unknown or less than a minute. */
export function toDelay(seconds: number | null): string | undefined {
  if (seconds === null || Math.abs(seconds) < 60) return undefined
  return seconds > 0 ? `+${Math.floor(seconds / 60)} min` : `−${Math.floor(-seconds / 60)} min`
}

/** A display name for an API value that has no translation: "cable_tram" becomes "Cable tram". */
export function toWords(word: string): string {
  const words = word.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
