// Formats times, distances and words. Times are in the network's zone, taken from the API's timestamps with their offset.

/** The time of day of an API timestamp, "14:05". */
export function toClock(timestamp: string): string {
  return timestamp.slice(11, 16)
}

/** Whether a departure is shown by the minutes left, not by its time. */
export function isSoon(timestamp: string, nowMillis: number): boolean {
  return Date.parse(timestamp) - nowMillis < 3_600_000
}

/** The time until a departure, as boards show it: whole minutes within the next hour, else the time of day. */
export function untilDeparture(timestamp: string, nowMillis: number): string {
  if (!isSoon(timestamp, nowMillis)) return toClock(timestamp)
  const minutes = Math.floor((Date.parse(timestamp) - nowMillis) / 60_000)
  return minutes < 1 ? 'now' : `${minutes} min`
}

/** A duration: "45 s", "12 min", "1 h 05". */
export function toDuration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`
}

/** An age: "4 s", "3 min", "2 h". */
export function toAge(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}

/** A distance: "350 m", "1.2 km". */
export function toDistance(meters: number): string {
  return meters < 1_000 ? `${meters} m` : `${(meters / 1_000).toFixed(1)} km`
}

/** A delay: "+3 min", "−1 min", or undefined if it is less than a minute. */
export function toDelay(seconds: number | null): string | undefined {
  if (seconds === null || Math.abs(seconds) < 60) return undefined
  return seconds > 0 ? `+${Math.floor(seconds / 60)} min` : `−${Math.floor(-seconds / 60)} min`
}

/** The display name of an API value: "cable_tram" is "Cable tram". */
export function toWords(word: string): string {
  const words = word.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A number with thousands separators. */
export function toNumber(count: number): string {
  return count.toLocaleString('en').replaceAll(',', ' ')
}
