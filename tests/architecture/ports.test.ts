// Tests that no two test files use the same port, because test files run in parallel.
import { expect, test } from 'bun:test'
import { SOURCES } from './sources.ts'

/**
 * Matches a port number as the test files write it, such as `18_123`. The free ports that the system chooses are above
 * this range.
 */
const PORT = /\b1[89]_\d{3}\b/g

test('no two test files use the same port', () => {
  const owners = new Map<string, Set<string>>()
  for (const { path, text } of SOURCES) {
    if (!/^tests\/(service|regressions|real-)/.test(path)) continue
    for (const [port] of text.matchAll(PORT)) owners.set(port, (owners.get(port) ?? new Set()).add(path))
  }
  expect(owners.size).toBeGreaterThan(40)
  expect([...owners].filter(([, files]) => files.size > 1).map(([port, files]) => [port, ...files])).toEqual([])
})
