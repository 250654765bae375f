// Weak entity tags of static answers: which snapshots, and which question.

/** A tag from the snapshots an answer is made of and the question it answers. */
export function entityTag(snapshotTag: string, question: string): string {
  return `W/"${snapshotTag}-${Bun.hash.xxHash32(question).toString(36)}"`
}

/** Whether an If-None-Match header names a tag, compared weakly (RFC 9110, 8.8.3.2). */
export function isUnchanged(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch === tag || ifNoneMatch.trim() === '*') return true
  const opaque = tag.slice(2)
  return ifNoneMatch.split(',').some((given) => given.trim().replace(/^W\//, '') === opaque)
}
