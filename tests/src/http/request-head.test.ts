// Tests a shortcut for requests whose only headers are Host, Authorization and Connection: in such requests, no other
// header is looked up. Fails if any other header that was sent counts as absent.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { BODY_LIMIT_BYTES, findFramingFault, headersBeside, NO_HEADERS } from '../../../src/http/request-head.ts'
import { SEED } from '../../size.ts'

const OTHERS = [
  ...['accept', 'accept-encoding', 'content-length', 'if-none-match', 'origin', 'traceparent', 'transfer-encoding'],
  ...['user-agent', 'x-forwarded-for', 'x-request-id', 'x-some-header'],
]
const RULES = { bodyLimitBytes: BODY_LIMIT_BYTES }
const ASIDE = ['host', 'authorization', 'connection']

test('a header that was sent is found', () => {
  const sent = fc.uniqueArray(fc.tuple(fc.constantFrom(...OTHERS, ...ASIDE), fc.constantFrom('1', 'x', '*/*')), {
    selector: ([name]) => name,
    maxLength: 6,
  })
  fc.assert(
    fc.property(sent, (pairs) => {
      const headers = new Headers(pairs)
      const others = headersBeside(headers)
      for (const name of OTHERS) expect([name, others.get(name)]).toEqual([name, headers.get(name)])
      expect(findFramingFault(headers, RULES, others)).toEqual(findFramingFault(headers, RULES))
    }),
    { numRuns: 3_000, seed: SEED },
  )
})

test('requests with few headers skip the search', () => {
  const pairs: [string, string][] = [
    ['host', 'localhost:8080'],
    ['authorization', 'Bearer x'],
  ]
  expect(headersBeside(new Headers(pairs))).toBe(NO_HEADERS)
  expect(headersBeside(new Headers([...pairs, ['connection', 'keep-alive']]))).toBe(NO_HEADERS)
  expect(headersBeside(new Headers([...pairs, ['accept', '*/*']]))).not.toBe(NO_HEADERS)
})
