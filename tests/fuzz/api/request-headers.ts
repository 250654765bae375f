// The headers of generated requests: credentials, Accept, If-None-Match and others. The expected outcome of each header
// was written by hand.
import { below, pick, type Random } from '../../../src/demo/seeded-random.ts'
import type { FuzzKeys } from './fuzzed-service.ts'
import type { Fault } from './generated-request.ts'

/** A header, and the expected outcome of a request with it. `value` is undefined if the header is not sent. */
export interface JudgedHeader {
  readonly value: string | undefined
  readonly fault: Fault
  /** The expected outcome for event streams, if it differs. */
  readonly ofEvents?: Fault
}

const INVALID: Fault = { status: 401, reason: 'invalid_token' }
const NO_SCOPE: Fault = { status: 403, reason: 'insufficient_scope' }

/** Credentials that must be refused, and some that may be accepted or refused. */
export function badCredential(random: Random, keys: FuzzKeys): JudgedHeader {
  const { good } = keys
  const at = 7 + below(random, good.length - 7)
  const flipped = good.slice(0, at) + (good.charAt(at) === 'a' ? 'b' : 'a') + good.slice(at + 1)
  return pick<JudgedHeader>(random, [
    { value: undefined, fault: { status: 401, reason: 'authentication_required' } },
    { value: 'Bearer', fault: INVALID },
    { value: good, fault: INVALID },
    { value: `Basic ${btoa(`user:${good}`)}`, fault: INVALID },
    { value: `Bearer ${good} ${good}`, fault: INVALID },
    { value: `Bearer ${good}, Bearer ${good}`, fault: INVALID },
    { value: `Bearer "${good}"`, fault: INVALID },
    { value: `Bearer:${good}`, fault: INVALID },
    { value: `Token ${good}`, fault: INVALID },
    { value: `Bearer ${good}=`, fault: INVALID },
    { value: `Bearer ${good.slice(0, -1)}`, fault: INVALID },
    { value: `Bearer ${flipped}`, fault: INVALID },
    { value: `Bearer ${good.toLowerCase()}`, fault: INVALID },
    { value: `Bearer ${'quai_p_'}${'0'.repeat(49)}`, fault: INVALID },
    { value: `Bearer ${'A'.repeat(6_000)}`, fault: INVALID },
    { value: `Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.`, fault: INVALID },
    { value: 'Bearer __proto__', fault: INVALID },
    { value: `Bearer \u00e9\u00ff${good}`, fault: INVALID },
    { value: `Bearer ${keys.revoked}`, fault: INVALID },
    { value: `Bearer ${keys.expired}`, fault: INVALID },
    { value: `Bearer ${keys.unknown}`, fault: INVALID },
    { value: `Bearer ${keys.otherAudience}`, fault: NO_SCOPE },
    { value: 'Bearer quai_s_0123abc', fault: NO_SCOPE },
    { value: `Bearer ${keys.unverified}`, fault: { status: 403, reason: 'email_verification_required' } },
    { value: `Bearer\u00a0${good}`, fault: INVALID },
    { value: `Bearer\t${good}`, fault: 'open' },
    { value: '', fault: 'open' },
  ])
}

/** Valid credentials. The scheme `Bearer` is not case-sensitive (RFC 9110, 11.1). */
export function goodCredential(random: Random, { good }: FuzzKeys): JudgedHeader {
  const value = pick(random, [
    `Bearer ${good}`,
    `Bearer ${good}`,
    `Bearer ${good}`,
    `bearer ${good}`,
    `BEARER   ${good}`,
  ])
  return { value, fault: 'none' }
}

const EXCLUDED: Fault = { status: 406, reason: 'not_acceptable' }

/**
 * Accept headers and their outcomes according to RFC 9110, 12.5.1: JSON is acceptable unless a valid header excludes
 * it.
 */
export const ACCEPTS: readonly JudgedHeader[] = [
  { value: undefined, fault: 'none' },
  { value: '*/*', fault: 'none' },
  { value: 'application/json', fault: 'none', ofEvents: EXCLUDED },
  { value: 'application/json;q=0.1, text/html', fault: 'none', ofEvents: EXCLUDED },
  { value: 'text/html,application/xhtml+xml,*/*;q=0.8', fault: 'none' },
  { value: 'APPLICATION/JSON', fault: 'none', ofEvents: EXCLUDED },
  { value: 'application/*', fault: 'none', ofEvents: EXCLUDED },
  { value: '*/*;q=0, application/json', fault: 'none', ofEvents: EXCLUDED },
  { value: 'application/json; charset=utf-8', fault: 'open' },
  { value: 'application/problem+json', fault: 'open' },
  { value: 'text/html', fault: EXCLUDED },
  { value: 'text/event-stream', fault: EXCLUDED, ofEvents: 'none' },
  { value: 'application/json;q=0', fault: EXCLUDED },
  { value: '*/*;q=0', fault: EXCLUDED },
  { value: 'text/*, image/*;q=0.5', fault: EXCLUDED, ofEvents: 'none' },
  { value: 'application/json;q=0, */*', fault: EXCLUDED, ofEvents: 'none' },
  { value: ';;;,,,', fault: 'open' },
  { value: 'q=1', fault: 'open' },
  { value: 'application/json;q=NaN', fault: 'open' },
  { value: '__proto__', fault: 'open' },
  { value: `text/html,${'a/b;q=0.1,'.repeat(500)}`, fault: 'open' },
  { value: '\u00ff\u00fe', fault: 'open' },
]

/** Values of If-None-Match that match no response, except `*`, which matches every response. */
export const FOREIGN_TAGS: readonly string[] = [
  '*',
  '"x"',
  'W/"x"',
  'W/',
  '"',
  ',',
  '"a","b",W/"c"',
  '\u00ff',
  `${'"x",'.repeat(1_000)}"y"`,
  'W/"snap-ville-"',
]

/** Headers that must not change the response, except for its request id. */
export const IDLE_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'x-request-id': 'mine-1.~_' },
  { 'x-request-id': 'x'.repeat(129) },
  { 'x-request-id': '<script>' },
  { 'x-request-id': '__proto__' },
  { origin: 'http://console.test' },
  { origin: 'null' },
  { origin: 'http://evil.test' },
  { origin: '__proto__' },
  { 'accept-language': '\u00e9'.repeat(100) },
  { 'accept-encoding': 'br;q=x, gzip' },
  { range: 'bytes=0-1' },
  { 'if-modified-since': 'yesterday' },
  { 'x-http-method-override': 'DELETE' },
  { 'x-forwarded-for': '127.0.0.1, ::1' },
  { 'content-type': 'application/json' },
  { cookie: 'a=b; __proto__=c' },
]
