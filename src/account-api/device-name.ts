// Derives a short browser name from the User-Agent header, for the list of sessions. The whole header is never stored.

/**
 * Distinctive parts of the header. The first match wins, because the headers of most browsers also name other browsers.
 */
const BROWSERS: readonly (readonly [part: string, name: string])[] = [
  ['Edg/', 'Edge'],
  ['EdgA/', 'Edge'],
  ['EdgiOS/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
]
const SYSTEMS: readonly (readonly [part: string, name: string])[] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
]

/** Browser and system, such as "Firefox on Linux". If only one of them is known, its name; if neither, null. */
export function deviceName(userAgent: string | null): string | null {
  const find = (names: typeof BROWSERS) => names.find(([part]) => userAgent?.includes(part))?.[1]
  const known = [find(BROWSERS), find(SYSTEMS)].filter((name) => name !== undefined)
  return known.length === 0 ? null : known.join(' on ')
}
