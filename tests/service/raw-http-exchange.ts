// Runs a raw-HTTP case against a running service, and returns all faults: in the response, in what follows on the
// connection, and in the response to another client afterwards.

import { headerOf, type RawAnswer, RawConnection, type Reading } from './raw-http-client.ts'
import type { RawCase } from './raw-http-corpus.ts'
import { HIDDEN_ID } from './raw-http-smuggling.ts'

/** How long to wait for a response or for the connection to close: far longer than either takes on a busy machine. */
export const ANSWER_MILLIS = 5_000

/** If the server has refused a body, it may also refuse the rest of that body, with one of these statuses. */
const OF_THE_REST: readonly number[] = [400, 413]

let count = 0

/**
 * A valid request, which must be answered with 200 whatever was sent before it. The response must have the request's
 * id.
 */
export interface Probe {
  readonly sent: string
  readonly id: string
  /** Returns what is wrong with the response; undefined if nothing is. */
  readonly check: (answer: Reading) => string | undefined
}

/**
 * Makes a valid request for a stop, with a unique request id. The check requires this id and this stop in the response,
 * so it rejects the response to another request.
 */
export function makeProbe(key: string): Probe {
  const id = `probe-${++count}`
  const stop = count % 2 === 0 ? 'ville:stop:CA' : 'ville:stop:CB'
  const lines = [`GET /v1/stops/${stop} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${key}`]
  return {
    sent: `${[...lines, `X-Request-Id: ${id}`].join('\r\n')}\r\n\r\n`,
    id,
    check: (answer) => {
      if (typeof answer === 'string') return `a valid request got ${answer}`
      if (answer.status !== 200 || headerOf(answer, 'x-request-id') !== id) {
        return `a valid request got ${describeReading(answer)}`
      }
      return JSON.parse(answer.body).data.id === stop ? undefined : `a valid request got another's body: ${answer.body}`
    },
  }
}

/** Sends a valid request on a new connection. Returns what is wrong with the response; undefined if nothing is. */
export async function probeFresh(port: number, key: string): Promise<string | undefined> {
  const connection = await RawConnection.open(port)
  const probe = makeProbe(key)
  await connection.send(probe.sent)
  const wrong = probe.check(await connection.read({ millis: ANSWER_MILLIS }))
  connection.drop()
  return wrong === undefined ? undefined : `on a new connection: ${wrong}`
}

/** Runs a case; returns everything that is wrong with the result. */
export async function faultsOfCase(port: number, key: string, rawCase: RawCase): Promise<string[]> {
  const connection = await RawConnection.open(port)
  const faults: string[] = []
  try {
    await connection.send(rawCase.sent)
    const first = await connection.read({ millis: ANSWER_MILLIS })
    faults.push(...faultsOfFirst(first, rawCase))
    if (rawCase.after === 'stays') {
      const probe = makeProbe(key)
      await connection.send(probe.sent)
      faults.push(
        ...[probe.check(await connection.read({ millis: ANSWER_MILLIS }))].filter((each) => each !== undefined),
      )
    } else faults.push(...(await faultsOfEnd(connection)))
  } catch (error) {
    faults.push(String(error))
  } finally {
    connection.drop()
  }
  faults.push(...[await probeFresh(port, key)].filter((each) => each !== undefined))
  return faults.map((fault) => `${rawCase.name}: ${fault}`)
}

function faultsOfFirst(first: Reading, rawCase: RawCase): string[] {
  const status = typeof first === 'string' ? 0 : first.status
  if (first === 'silence' || !rawCase.statuses.includes(status)) return [`got ${describeReading(first)}`]
  if (typeof first === 'string') return []
  const faults: string[] = []
  if (headerOf(first, 'x-request-id') === HIDDEN_ID) faults.push('the hidden request was answered first')
  if (rawCase.after === 'closes' && status >= 400 && headerOf(first, 'connection') !== 'close') {
    faults.push('the end of the connection is not announced by a header')
  }
  if (rawCase.reason !== undefined && JSON.parse(first.body).reason !== rawCase.reason) {
    faults.push(`rejected as ${first.body}`)
  }
  for (const [name, value] of Object.entries(rawCase.headers ?? {})) {
    if (headerOf(first, name) !== value) faults.push(`${name} is ${headerOf(first, name)}`)
  }
  return faults
}

/**
 * Reads until the connection closes; returns the faults. The server may send nothing more, except refusals of the rest
 * of a refused body.
 */
async function faultsOfEnd(connection: RawConnection): Promise<string[]> {
  const faults: string[] = []
  for (;;) {
    const next = await connection.read({ millis: ANSWER_MILLIS })
    if (next === 'closed') return faults
    if (next === 'silence') return [...faults, 'the connection stays open']
    const isOfTheRest =
      OF_THE_REST.includes(next.status) && next.body === '' && headerOf(next, 'connection') === 'close'
    if (!isOfTheRest) faults.push(`then got ${describeReading(next)}`)
  }
}

/** Describes a reading in a few words. */
export function describeReading(reading: Reading): string {
  if (typeof reading === 'string') return reading
  const { status, body } = reading satisfies RawAnswer
  return `${status} ${body.slice(0, 100)}`
}
