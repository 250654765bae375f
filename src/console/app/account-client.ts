// How the console asks the account API: its own origin, its own cookie, the session's CSRF token with every change.
import type { ProblemBody } from './contract.ts'

/** An answer that is no success, told in words that can be shown. */
export class Refusal extends Error {
  /** HTTP status; 0 where there was no answer at all. */
  readonly status: number
  readonly reason: string
  readonly requestId: string | undefined

  constructor(of: { status: number; reason: string; message: string; requestId?: string | undefined }) {
    super(of.message)
    this.status = of.status
    this.reason = of.reason
    this.requestId = of.requestId
  }
}

let csrfToken: string | undefined

/** Takes the token that changes are sent with; undefined once nobody is logged in. */
export function holdCsrfToken(token: string | undefined): void {
  csrfToken = token
}

/** Reads. Throws a Refusal where the answer is no success. */
export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  const answer = await ask(path, { headers: { Accept: 'application/json' }, signal: signal ?? null })
  const body: T = await answer.json()
  return body
}

/** Changes something and reads what it answers. */
export async function change<T>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown): Promise<T> {
  const answer = await ask(path, changeOf(method, body))
  const result: T = await answer.json()
  return result
}

/** Changes something that answers nothing worth reading. */
export async function send(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<void> {
  await ask(path, changeOf(method, body))
}

function changeOf(method: string, body: unknown): RequestInit {
  const headers: Record<string, string> = { Accept: 'application/json' }
  if (csrfToken !== undefined) headers['X-CSRF-Token'] = csrfToken
  if (body === undefined) return { method, headers }
  return { method, headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  let answer: Response
  try {
    answer = await fetch(path, { ...init, credentials: 'same-origin', cache: 'no-store' })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Refusal({
      status: 0,
      reason: 'no_answer',
      message: 'The service does not answer. Try again in a moment.',
    })
  }
  if (answer.ok) return answer
  throw await readRefusal(answer)
}

async function readRefusal(answer: Response): Promise<Refusal> {
  const status = answer.status
  const text = await answer.text()
  const fallback = new Refusal({ status, reason: 'unknown', message: `The service answered with status ${status}.` })
  if (!(answer.headers.get('content-type') ?? '').includes('json')) return fallback
  const body: ProblemBody = JSON.parse(text)
  const message = body.detail ?? body.title ?? fallback.message
  return new Refusal({ status, reason: body.reason ?? 'unknown', message, requestId: body.request_id })
}
