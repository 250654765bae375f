// Tests the W3C trace context of a request. Fails if a valid `traceparent` is not returned unchanged, if its trace id
// is not used as the request id when the client sent no request id, or if an invalid `traceparent` is used or returned.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { requestIdOf, traceContextOf } from '../../../src/http/request-head.ts'
import { openApi } from './api-under-test.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const TRACE = `00-${TRACE_ID}-b7ad6b7169203331-01`
const api = await openApi()

describe('responses', () => {
  const cases = [
    { name: 'a response', path: '/v1/networks', status: 200 },
    { name: 'a public response', path: '/v1/health', status: 200 },
    { name: 'a live response', path: '/v1/stops/ville:stop:CA/departures', status: 200 },
    { name: 'journeys', path: '/v1/journeys?from=gare&to=ville:stop:P', status: 200 },
    { name: 'an error', path: '/v1/networks/none', status: 404 },
    { name: 'an unknown address', path: '/v1/nothing', status: 404 },
    { name: 'a rejected stream', path: '/v1/stops/ville:stop:none/departures/stream', status: 404 },
  ]
  for (const { name, path, status } of cases) {
    test(`${name} returns the trace and its id`, async () => {
      const answer = await api.get(path, { traceparent: TRACE })
      const { headers } = answer
      expect([answer.status, headers.get('traceparent'), headers.get('x-request-id')]).toEqual([
        status,
        TRACE,
        TRACE_ID,
      ])
      if (status === 404) expect(answer.body.request_id).toBe(TRACE_ID)
      expect((await api.get(path)).headers.get('traceparent')).toBeNull()
    })
  }

  test('a 304 response returns them too', async () => {
    const etag = (await api.get('/v1/networks')).headers.get('etag') ?? ''
    const { status, headers } = await api.get('/v1/networks', { traceparent: TRACE, 'if-none-match': etag })
    expect([status, headers.get('traceparent'), headers.get('x-request-id')]).toEqual([304, TRACE, TRACE_ID])
  })

  test('a request id from the client takes precedence over the trace id', async () => {
    const { headers } = await api.get('/v1/networks', { traceparent: TRACE, 'x-request-id': 'mine' })
    expect([headers.get('traceparent'), headers.get('x-request-id')]).toEqual([TRACE, 'mine'])
  })
})

const read = (traceparent: string) => traceContextOf(new Headers({ traceparent }))

test('malformed and invalid values are ignored', () => {
  const wrong = [
    '',
    TRACE_ID,
    TRACE.slice(0, -1),
    `${TRACE}0`,
    TRACE.toUpperCase(),
    `ff${TRACE.slice(2)}`, // a forbidden version
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
    `${TRACE}-more`, // version 00 ends after the flags
    `cc${TRACE.slice(2)}-${'x'.repeat(300)}`,
    `cc${TRACE.slice(2)}more`,
  ]
  expect(wrong.map(read)).toEqual(wrong.map(() => undefined))
  for (const traceparent of wrong) {
    const id = requestIdOf(new Headers({ traceparent }))
    expect(id).not.toContain(TRACE_ID)
  }
})

test('a later version is accepted, whatever it adds', () => {
  const later = [`cc${TRACE.slice(2)}`, `cc${TRACE.slice(2)}-what-the-future-holds`]
  expect(later.map(read)).toEqual(later)
})

/** Checks a value part by part, as the W3C recommendation describes it, without the regular expression under test. */
function isValid(text: string): boolean {
  const parts = text.split('-')
  const isHex = (part: string | undefined, length: number) =>
    part?.length === length && [...part].every((digit) => '0123456789abcdef'.includes(digit))
  const isZero = (part: string | undefined) => [...(part ?? '')].every((digit) => digit === '0')
  const [version, trace, span, flags] = parts
  if (!isHex(version, 2) || version === 'ff') return false
  if (!isHex(trace, 32) || isZero(trace) || !isHex(span, 16) || isZero(span) || !isHex(flags, 2)) return false
  return version !== '00' || parts.length === 4
}

test('agrees with the recommendation, checked part by part', () => {
  const hex = (length: number) =>
    fc.oneof(
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length }),
      fc.constant('0'.repeat(length)),
      fc.string({ unit: fc.constantFrom(...'09afAFgx'), minLength: length - 1, maxLength: length + 1 }),
    )
  const version = fc.oneof(fc.constantFrom('00', '01', 'ff', 'fe', '0', '000'), hex(2))
  const text = fc
    .tuple(version, hex(32), hex(16), hex(2), fc.array(fc.constantFrom('a', 'b1', '', 'Z~'), { maxLength: 2 }))
    .map(([first, trace, span, flags, more]) => [first, trace, span, flags, ...more].join('-'))
  fc.assert(
    fc.property(text, (traceparent) => {
      expect(read(traceparent)).toBe(isValid(traceparent) ? traceparent : undefined)
    }),
    { numRuns: 3_000 },
  )
})
