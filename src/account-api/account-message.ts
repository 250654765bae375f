// What of a message is checked before anybody has seen it: its framing, its length, its media type; and its body as JSON.
import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { AccountProblem } from '../http/account-problem.ts'

/** Longest body that is read. */
export const ACCOUNT_BODY_LIMIT_BYTES = 16 * 1024
/** Longest path and query, in characters. */
const TARGET_LENGTH_LIMIT = 4096

/** A host and a port, or nothing. Two Host headers arrive here as one with a comma. */
const HOST = /^[^\s,/?#@\\]*$/
/** Two equal Content-Length headers arrive as one with a comma. */
const LENGTH = /^\d+$/
const JSON_TYPE = /^application\/json\s*(?:;|$)/i
const WITH_BODY = ['POST', 'PUT', 'PATCH']

/** Whether a request changes nothing. */
export function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

/** Why a message is refused, or undefined. */
export function findMessageFault({ headers, url }: Request): AccountProblem | undefined {
  const host = headers.get('host')
  if ((host !== null && !HOST.test(host)) || !URL.canParse(url, 'http://localhost')) {
    return new AccountProblem('malformed_request', 'The Host header is not one host with perhaps a port.')
  }
  if (headers.get('transfer-encoding') !== null) return new AccountProblem('content_too_large')
  const length = headers.get('content-length')
  if (length !== null && !LENGTH.test(length)) {
    return new AccountProblem('malformed_request', 'Content-Length is not one number.')
  }
  if (length !== null && Number(length) > ACCOUNT_BODY_LIMIT_BYTES) return new AccountProblem('content_too_large')
  return url.length > TARGET_LENGTH_LIMIT ? new AccountProblem('uri_too_long') : undefined
}

/** The body of a request whose method has one, read from JSON; undefined for other methods. */
export async function readJson(request: Request): Promise<unknown> {
  if (!WITH_BODY.includes(request.method)) return undefined
  if (!JSON_TYPE.test(request.headers.get('content-type') ?? '')) return new AccountProblem('unsupported_media_type')
  const bytes = await readBytes(request)
  if (bytes === undefined) return new AccountProblem('malformed_request', 'The body ended before its length.')
  if (bytes.byteLength > ACCOUNT_BODY_LIMIT_BYTES) return new AccountProblem('content_too_large')
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return new AccountProblem('invalid_request', 'The body is not JSON in UTF-8.')
  }
}

/** The bytes of a body; undefined where the connection ended before it did. */
async function readBytes(request: Request): Promise<ArrayBuffer | undefined> {
  try {
    return await request.arrayBuffer()
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return undefined
    throw error
  }
}

/** A body as its schema has it, or which member is not as it should be. Members that the schema lacks are refused. */
export function parseBody<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> | AccountProblem {
  if (Value.Check(schema, body)) {
    const odd = Object.entries(body ?? {}).find(([, value]) => typeof value === 'string' && !value.isWellFormed())
    if (odd === undefined) return body
    return new AccountProblem('invalid_request', `The member "${odd[0]}" is not well-formed Unicode.`)
  }
  const first = Value.Errors(schema, body).First()
  const member = first?.path.slice(1) ?? ''
  const what = member === '' ? 'The body' : `The member "${member}" of the body`
  return new AccountProblem('invalid_request', `${what}: ${first?.message ?? 'not as expected'}.`)
}
