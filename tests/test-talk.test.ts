// Tests parsing the output of Bun's test runner. Fails if a failure is lost, reported twice, or attributed to the wrong
// file.
import { expect, test } from 'bun:test'
import { readTestTalk } from './test-talk.ts'

const RULE = '-'.repeat(31)

test('failures are listed by file, with their output; the summary is counted, not parsed twice', () => {
  const talk = [
    'a.test.ts:',
    '(pass) well [0.04ms]',
    'error: expect(received).toBe(expected)',
    'Expected: 2',
    '(fail) x > ill [0.19ms]',
    'left out: real feeds',
    '',
    'b.test.ts:',
    '# Unhandled error between tests',
    RULE,
    'error: no',
    RULE,
    'left out: real feeds',
    '',
    '2 tests failed:',
    '(fail) x > ill [0.19ms]',
    '',
    ' 1 pass',
    ' 2 fail',
  ].join('\n')
  const reported = readTestTalk(talk)
  expect(reported).toMatchObject({ passed: 1, failed: 2, leftOut: ['left out: real feeds'] })
  expect([...reported.faults]).toEqual([
    ['a.test.ts', ['error: expect(received).toBe(expected)\nExpected: 2\n(fail) x > ill [0.19ms]']],
    ['b.test.ts', [`# Unhandled error between tests\n${RULE}\nerror: no\n${RULE}`]],
  ])
})

test('a run that broke off has no counts and no failures', () => {
  expect(readTestTalk('a.test.ts:\n(pass) well\n')).toEqual({ passed: 0, failed: 0, leftOut: [], faults: new Map() })
})
