// Weak entity tags for static responses, which depend only on the request and on snapshots.

/**
 * Returns the entity tag of a response.
 * @param snapshotTag identifies the snapshots that the response uses
 * @param question the request as a string
 */
export function entityTag(snapshotTag: string, question: string): string {
  return `W/"${snapshotTag}-${Bun.hash.xxHash32(question).toString(36)}"`
}

/** Whether an If-None-Match header contains a tag, by weak comparison (RFC 9110, 8.8.3.2). */
export function isUnchanged(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch === tag || ifNoneMatch.trim() === '*') return true
  const opaque = tag.slice(2)
  return ifNoneMatch.split(',').some((given) => given.trim().replace(/^W\//, '') === opaque)
}
