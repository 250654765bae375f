// Turns error reasons into phrases for the operator's pages. The error's own message gives the details.

/**
 * An error reason as a phrase: `static_import_failed` becomes "Import failed". Strings that are not reason codes are
 * returned unchanged.
 */
export function errorPhrase(reason: string): string {
  if (!/^\w+$/.test(reason)) return reason
  const words = reason
    .replace(/^static_/, '')
    .replace(/^http/, 'HTTP')
    .replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
