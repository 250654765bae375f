// Tests the page about OWASP ASVS 5.0.0, levels 1 and 2. Fails if a requirement is missing or listed twice, if the page
// lists one that does not exist, if a file that the page names does not exist, if a status has no reason, or if the
// page's counts are wrong.
import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..', '..', '..')
const page = readFileSync(join(ROOT, 'src/docs/security.md'), 'utf8')
const REQUIREMENT = /\bV\d+\.\d+\.\d+\b/g
const FILE = /`((?:src|tests|indexes|loaders|bench)\/[^`]+)`/g
const STATUSES = ['met', 'in part', 'not met', '–']
const STATUS_WORDS = ['met', 'in part', 'not met', 'do not apply']

/**
 * Section → its requirements at levels 1 and 2, each given by the last part of its number. There are 253 requirements
 * in total, as in the standard.
 */
const REQUIREMENTS: Readonly<Record<string, readonly number[]>> = {
  'V1.1': [1, 2],
  'V1.2': [1, 2, 3, 4, 5, 6, 7, 8, 9],
  'V1.3': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  'V1.4': [1, 2, 3],
  'V1.5': [1, 2],
  'V2.1': [1, 2, 3],
  'V2.2': [1, 2, 3],
  'V2.3': [1, 2, 3, 4],
  'V2.4': [1],
  'V3.2': [1, 2],
  'V3.3': [1, 2, 3, 4],
  'V3.4': [1, 2, 3, 4, 5, 6],
  'V3.5': [1, 2, 3, 4, 5],
  'V3.7': [1, 2],
  'V4.1': [1, 2, 3],
  'V4.2': [1],
  'V4.3': [1, 2],
  'V4.4': [1, 2, 3, 4],
  'V5.1': [1],
  'V5.2': [1, 2, 3],
  'V5.3': [1, 2],
  'V5.4': [1, 2, 3],
  'V6.1': [1, 2, 3],
  'V6.2': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  'V6.3': [1, 2, 3, 4],
  'V6.4': [1, 2, 3, 4],
  'V6.5': [1, 2, 3, 4, 5],
  'V6.6': [1, 2, 3],
  'V6.8': [1, 2, 3, 4],
  'V7.1': [1, 2, 3],
  'V7.2': [1, 2, 3, 4],
  'V7.3': [1, 2],
  'V7.4': [1, 2, 3, 4, 5],
  'V7.5': [1, 2],
  'V7.6': [1, 2],
  'V8.1': [1, 2],
  'V8.2': [1, 2, 3],
  'V8.3': [1],
  'V8.4': [1],
  'V9.1': [1, 2, 3],
  'V9.2': [1, 2, 3, 4],
  'V10.1': [1, 2],
  'V10.2': [1, 2],
  'V10.3': [1, 2, 3, 4],
  'V10.4': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  'V10.5': [1, 2, 3, 4, 5],
  'V10.6': [1, 2],
  'V10.7': [1, 2, 3],
  'V11.1': [1, 2],
  'V11.2': [1, 2, 3],
  'V11.3': [1, 2, 3],
  'V11.4': [1, 2, 3, 4],
  'V11.5': [1],
  'V11.6': [1],
  'V12.1': [1, 2, 3],
  'V12.2': [1, 2],
  'V12.3': [1, 2, 3, 4],
  'V13.1': [1],
  'V13.2': [1, 2, 3, 4, 5],
  'V13.3': [1, 2],
  'V13.4': [1, 2, 3, 4, 5],
  'V14.1': [1, 2],
  'V14.2': [1, 2, 3, 4],
  'V14.3': [1, 2, 3],
  'V15.1': [1, 2, 3],
  'V15.2': [1, 2, 3],
  'V15.3': [1, 2, 3, 4, 5, 6, 7],
  'V16.1': [1],
  'V16.2': [1, 2, 3, 4, 5],
  'V16.3': [1, 2, 3, 4],
  'V16.4': [1, 2, 3],
  'V16.5': [1, 2, 3],
  'V17.1': [1],
  'V17.2': [1, 2, 3, 4],
  'V17.3': [1, 2],
}

const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| V'))
  .map((line) => line.slice(2, -2).split(' | '))
  .map(([ids = '', asks = '', status = '', answer = '']) => ({
    ids: ids.match(REQUIREMENT) ?? [],
    asks,
    status,
    answer,
  }))

test('every requirement of levels 1 and 2 is answered once, and no other is', () => {
  const known = Object.entries(REQUIREMENTS).flatMap(([section, ends]) => ends.map((end) => `${section}.${end}`))
  expect(known).toHaveLength(253)
  expect((page.match(REQUIREMENT) ?? []).toSorted()).toEqual(known.toSorted())
  expect(rows.flatMap(({ ids }) => ids)).toHaveLength(known.length)
})

test('every row has a status and an answer', () => {
  const wrong = rows.filter(
    ({ asks, status, answer }) => asks.trim() === '' || answer.trim() === '' || !STATUSES.includes(status),
  )
  expect(wrong).toEqual([])
})

test('the page counts its rows', () => {
  const counts = STATUSES.map((status) => rows.filter((row) => row.status === status).flatMap(({ ids }) => ids).length)
  expect(page).toContain(`${counts.map((count, at) => `${count} ${STATUS_WORDS[at]}`).join(', ')}.`)
})

test('every file named on the page exists', () => {
  const named = [...page.matchAll(FILE)].map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(150)
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})
