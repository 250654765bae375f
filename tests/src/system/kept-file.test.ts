// Tests files whose content is kept across restarts, at times when they cannot be written. Fails if a failed write
// stops the caller, is not reported exactly once, or is not retried later.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KeptFile } from '../../../src/system/kept-file.ts'
import { until } from '../../service/running.ts'

const RETRY_MILLIS = 30

let folder: string
let problems: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quai-kept-'))
  problems = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function keptFile(path: string): KeptFile<{ readonly count: number }> {
  return new KeptFile(path, (message) => problems.push(message), RETRY_MILLIS)
}

test('content survives a restart; a missing or damaged file has none', () => {
  const path = join(folder, 'kept.json')
  expect(keptFile(path).read()).toBeUndefined()
  keptFile(path).keep({ count: 3 })
  expect(keptFile(path).read()).toEqual({ count: 3 })
  writeFileSync(path, '{"count":')
  expect([keptFile(path).read(), problems]).toEqual([undefined, []])
})

test('a file that cannot be written is reported once and written as soon as it can be', async () => {
  const inner = join(folder, 'later')
  const file = keptFile(join(inner, 'kept.json'))
  for (const count of [1, 2, 3]) file.keep({ count })
  expect(problems).toEqual([
    expect.stringMatching(/kept\.json cannot be written: ENOENT.*; retrying until it succeeds$/),
  ])
  await Bun.sleep(3 * RETRY_MILLIS)
  expect(problems.length).toBe(1)
  mkdirSync(inner)
  await until(() => file.read()?.count === 3, 'the newest content is written')
  rmSync(inner, { recursive: true })
  file.keep({ count: 4 })
  expect(problems.length).toBe(2)
})
