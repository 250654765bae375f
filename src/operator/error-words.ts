// The reasons of errors as phrases, for the operator's pages. The error's own message gives the details.

/** A reason as a phrase: `static_import_failed` is "Import failed". Other texts are returned as they are. */
export function errorPhrase(reason: string): string {
  if (!/^\w+$/.test(reason)) return reason
  const words = reason
    .replace(/^static_/, '')
    .replace(/^http/, 'HTTP')
    .replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
