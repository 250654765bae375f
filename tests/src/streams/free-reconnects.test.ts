// Tests free reconnects after a shutdown, and the file that stores them. Fails if a reconnect that should be free is
// charged, if a stream gets two free reconnects, or if a truncated file prevents the service from starting.
import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type EndedStream,
  FreeReconnects,
  reconnectsOf,
  saveEndedStreams,
  takeEndedStreams,
} from '../../../src/streams/free-reconnects.ts'
import { failOnProblem } from '../../fail-on-problem.ts'
import { makeFolder } from '../account-fixture.ts'

const NOW = 1_780_000_000_000
const STREAM: EndedStream = { keyId: 'key_1', name: 'board 15', untilMillis: NOW + 30_000 }

test('each is used once, across all threads', () => {
  const start = reconnectsOf([STREAM, STREAM, { ...STREAM, keyId: 'key_2' }])
  const threads = [new FreeReconnects(start), new FreeReconnects(start)]
  const claims = [0, 1, 0, 1].map((thread) => threads[thread]?.claim(STREAM, NOW))
  expect(claims).toEqual([true, true, false, false])
  expect(threads[0]?.listUnused(NOW)).toEqual([{ ...STREAM, keyId: 'key_2' }])
  expect(threads[1]?.claim({ keyId: 'key_2', name: 'board 20' }, NOW)).toBe(false)
  expect(threads[1]?.claim({ keyId: 'key_2', name: 'board 15' }, NOW + 30_000)).toBe(false)
  expect(threads[1]?.listUnused(NOW + 30_000)).toEqual([])
})

test('the file is read once, with the claims that are still valid', () => {
  const folder = makeFolder()
  saveEndedStreams(
    folder,
    [STREAM, { ...STREAM, untilMillis: NOW }, { ...STREAM, untilMillis: NOW + 90_000 }],
    failOnProblem,
  )
  expect(takeEndedStreams(folder, NOW)).toEqual([STREAM])
  expect(takeEndedStreams(folder, NOW)).toEqual([])
  expect(readdirSync(folder)).toEqual([])
  saveEndedStreams(folder, [], failOnProblem)
  expect(readdirSync(folder)).toEqual([])
})

test('a torn file costs some clients a unit, and does not prevent a start', () => {
  const folder = makeFolder()
  saveEndedStreams(folder, [STREAM, STREAM], failOnProblem)
  const path = join(folder, 'ended-streams.json')
  const whole = readFileSync(path, 'utf8')
  for (const text of [whole.slice(0, -10), '', '{}', '[1,null,{"keyId":1}]', 'null']) {
    writeFileSync(path, text)
    expect(takeEndedStreams(folder, NOW)).toEqual([])
    expect(existsSync(path)).toBe(false)
  }
})

test('a list that cannot be saved is reported, and the process ends as usual', () => {
  const problems: string[] = []
  saveEndedStreams(join(makeFolder(), 'missing'), [STREAM], (message) => problems.push(message))
  expect(problems).toEqual([expect.stringMatching(/ended-streams\.json cannot be written: ENOENT/)])
})
