// Reads a request body: checks its length, media type and JSON, then validates it against a schema.

import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import type { FramingRules } from '../http/request-head.ts'
import { isBody } from './bodies.schema.ts'

/** Maximum body size. */
const ACCOUNT_BODY_LIMIT_BYTES = 16 * 1024
/** Framing rules for every request. */
export const ACCOUNT_FRAMING: FramingRules = { bodyLimitBytes: ACCOUNT_BODY_LIMIT_BYTES }
const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/** Whether a request is read-only. */
export function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

/** Reads, parses and validates the request body; undefined if the route has no body. */
export async function readBody<Schema extends TSchema>(
  request: Request,
  schema: Schema,
): Promise<Static<Schema> | AccountProblem> {
  const body = isBody(schema) ? await readJson(request) : undefined
  return body instanceof Problem ? body : parseBody(schema, body)
}

async function readJson(request: Request): Promise<unknown> {
  if (!JSON_TYPE.test(request.headers.get('content-type') ?? '')) return new Problem('unsupported_media_type')
  const bytes = await readBytes(request)
  if (bytes === undefined)
    return new Problem('malformed_request', 'The request body is shorter than its Content-Length. Send the whole body.')
  if (bytes.byteLength > ACCOUNT_BODY_LIMIT_BYTES) return new Problem('content_too_large')
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return new Problem('invalid_request', 'The request body is not valid JSON in UTF-8. Send a JSON object.')
  }
}

/** The bytes of a body; undefined if the connection closed early. */
async function readBytes(request: Request): Promise<ArrayBuffer | undefined> {
  try {
    return await request.arrayBuffer()
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return undefined
    throw error
  }
}

/** Returns a body that fits its schema; otherwise a problem that names the invalid member. Schemas reject unknown members. */
function parseBody<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> | AccountProblem {
  if (Value.Check(schema, body)) {
    const odd = Object.entries(body ?? {}).find(([, value]) => typeof value === 'string' && !value.isWellFormed())
    if (odd === undefined) return body
    return new Problem(
      'invalid_request',
      `The member "${odd[0]}" of the body is not well-formed Unicode; it contains a lone surrogate.`,
    )
  }
  const first = Value.Errors(schema, body).First()
  const member = first?.path.slice(1) ?? ''
  const what = member === '' ? 'The body' : `The member "${member}" of the body`
  const fault = first?.message ?? 'Not as expected'
  const allowed = 'See /openapi.json for the members of the body and what they accept.'
  return new Problem(
    'invalid_request',
    `${what} is not valid: ${fault.charAt(0).toLowerCase()}${fault.slice(1)}. ${allowed}`,
  )
}
