// Client of the account API. It sends requests to the page's own origin with the session cookie, and sends the session's
// CSRF token with every change.
import { language } from '../../pages/app/language.ts'
import type { ProblemBody } from './contract.ts'

/** A failed request, with a message to show. */
export class Refusal extends Error {
  /** HTTP status; 0 if there was no response. */
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

/** Sets the CSRF token that is sent with changes; undefined after logout. */
export function holdCsrfToken(token: string | undefined): void {
  csrfToken = token
}

/** Asks the user for the password and sends it to the service; resolves to true if the password was right. */
type Confirmer = () => Promise<boolean>

let confirmer: Confirmer | undefined

/** Sets the function that requests the password from the user. It is called when a change needs a recent login. */
export function confirmBy(confirm: Confirmer | undefined): void {
  confirmer = confirm
}

/** Sends a GET request. Throws a Refusal if it fails. */
export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  const answer = await request(path, { headers: { Accept: 'application/json' }, signal: signal ?? null })
  const body: T = await answer.json()
  return body
}

/** Sends a change and returns the response's body. */
export async function change<T>(method: 'POST' | 'PUT' | 'PATCH', path: string, body?: unknown): Promise<T> {
  const answer = await request(path, changeOf(method, body))
  const result: T = await answer.json()
  return result
}

/** Sends a change and ignores the response's body. */
export async function send(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<void> {
  await request(path, changeOf(method, body))
}

function changeOf(method: string, body: unknown): RequestInit {
  // Accept-Language is the console's language. The service writes its emails in that language.
  const headers: Record<string, string> = { Accept: 'application/json', 'Accept-Language': language.value }
  if (csrfToken !== undefined) headers['X-CSRF-Token'] = csrfToken
  if (body === undefined) return { method, headers }
  return { method, headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
}

/**
 * Sends a request. If the request needs a recent login, asks the user for the password and then sends the request
 * again.
 */
async function request(path: string, init: RequestInit): Promise<Response> {
  try {
    return await sendOnce(path, init)
  } catch (error) {
    const isUnconfirmed = error instanceof Refusal && error.reason === 'confirmation_required'
    if (isUnconfirmed && (await confirmer?.()) === true) return sendOnce(path, init)
    throw error
  }
}

async function sendOnce(path: string, init: RequestInit): Promise<Response> {
  let answer: Response
  try {
    answer = await fetch(path, { ...init, credentials: 'same-origin', cache: 'no-store' })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Refusal({
      status: 0,
      reason: 'no_answer',
      message: 'no response',
    })
  }
  if (answer.ok) return answer
  throw await readRefusal(answer)
}

async function readRefusal(answer: Response): Promise<Refusal> {
  const status = answer.status
  const text = await answer.text()
  const fallback = new Refusal({ status, reason: 'unknown', message: `status ${status}` })
  if (!(answer.headers.get('content-type') ?? '').includes('json')) return fallback
  const body: ProblemBody = JSON.parse(text)
  const message = body.detail ?? body.title ?? fallback.message
  return new Refusal({ status, reason: body.reason ?? 'unknown', message, requestId: body.request_id })
}
