// Makes requests by random changes to the corpus: bytes are replaced, removed or duplicated, lines are moved, two cases
// are joined, or a case is sent in two pieces. No response may be a 5xx other than Bun's own 505, and a response to a
// valid request must be the right one. Once the test has sent the bytes that a request may lack, the server must
// respond or close the connection.
import { below, pick, type Random } from '../../src/demo/seeded-random.ts'
import { headerOf, RawConnection, type Reading } from './raw-http-client.ts'
import { ANSWER_MILLIS, describeReading, makeProbe } from './raw-http-exchange.ts'

/** Byte sequences that split, end, frame or hide something in HTTP. */
const TOKENS = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  '\t',
  ' ',
  ':',
  ',',
  ';',
  '%',
  '%00',
  '%2e',
  '/',
  '//',
  '/../',
  '?',
  '#',
  '&',
  '=',
  '\\',
  '"',
  '\xff',
  '\xc3\xa9',
  '0',
  '-1',
  '99999999999999999999',
  'chunked',
  'HTTP/1.1',
  '\r\n\r\n',
  '\r\nContent-Length: 5\r\n',
  '\r\nTransfer-Encoding: chunked\r\n',
  '\r\nHost: b\r\n',
  '\r\nConnection: close\r\n',
  'Expect: 100-continue\r\n',
  '5\r\nhello\r\n',
  '0\r\n\r\n',
]

/** Requests are cut to this length before they are changed, since the corpus itself tests long requests. */
const MUTATED_BYTES = 8_192

/** Makes one to three changes to a random request. Returns the changed request, whole or in two pieces. */
export function mutate(random: Random, originals: readonly string[]): readonly string[] {
  let text = pick(random, originals).slice(0, MUTATED_BYTES)
  for (let changes = 1 + below(random, 3); changes > 0; changes--) text = change(random, text, originals)
  // A changed request must not become a HEAD request: the reader would wait for a body that never comes.
  if (text.includes('HEAD')) return mutate(random, originals)
  if (text === '') return ['\r\n']
  if (below(random, 4) > 0) return [text]
  const at = below(random, text.length)
  return [text.slice(0, at), text.slice(at)].filter((piece) => piece !== '')
}

function change(random: Random, text: string, originals: readonly string[]): string {
  const at = below(random, text.length + 1)
  const end = Math.min(text.length, at + 1 + below(random, 40))
  const token = pick(random, TOKENS)
  switch (below(random, 9)) {
    case 0:
      return text.slice(0, at) + token + text.slice(at)
    case 1:
      return text.slice(0, at) + token + text.slice(end)
    case 2:
      return text.slice(0, at) + text.slice(end)
    case 3:
      return text.slice(0, at)
    case 4:
      return text.slice(0, end) + text.slice(at)
    case 5:
      return text.slice(0, at) + String.fromCharCode(below(random, 256)) + text.slice(at + 1)
    case 6: {
      const other = pick(random, originals).slice(0, MUTATED_BYTES)
      return text.slice(0, at) + other.slice(below(random, other.length + 1))
    }
    case 7: {
      // Moves a line, possibly the first, to another position.
      const lines = text.split('\r\n')
      const [line = ''] = lines.splice(below(random, lines.length), 1)
      lines.splice(below(random, lines.length + 1), 0, line)
      return lines.join('\r\n')
    }
    default:
      return text + pick(random, originals).slice(0, MUTATED_BYTES)
  }
}

/**
 * Maximum number of responses on one connection. There can be many, since a changed request can contain several
 * requests.
 */
const MOST_ANSWERS = 60
/** If the server is silent for this long, it is assumed to be waiting for more bytes. */
const QUIET_MILLIS = 150
/**
 * Completes an unfinished head, or a body of any allowed length. After a complete request, these bytes are an invalid
 * request.
 */
const ENDING = `\r\n\r\n${'z'.repeat(70_000)}\r\n\r\n`

/** Sends a mutated request, then a valid one, and then `ENDING` if bytes may be missing. Returns the faults. */
export async function faultsOfMutation(port: number, key: string, sent: readonly string[]): Promise<string[]> {
  const connection = await RawConnection.open(port)
  const probe = makeProbe(key)
  // Unless the mutated request ends with an empty line, the valid request may become part of its head or body. A
  // response with the id of the valid request then proves nothing.
  const isApart = sent.join('').endsWith('\r\n\r\n')
  const faults: string[] = []
  let hasEnding = false
  try {
    await connection.send([...sent.slice(0, -1), (sent.at(-1) ?? '') + probe.sent])
    for (let answers = 0; ; answers++) {
      const next = await connection.read({ millis: hasEnding ? ANSWER_MILLIS : QUIET_MILLIS })
      if (next === 'closed') break
      if (next === 'silence') {
        if (hasEnding) faults.push('neither a response nor the end of the connection')
        if (hasEnding) break
        hasEnding = true
        await connection.send(ENDING)
        continue
      }
      if (answers > MOST_ANSWERS) faults.push('responses without end')
      const wrong = faultOfAnswer(next, { probe, isApart })
      if (wrong !== undefined) faults.push(wrong)
      if (faults.length > 0) break
    }
  } catch (error) {
    faults.push(String(error))
  } finally {
    connection.drop()
  }
  return faults.map((fault) => `${JSON.stringify(sent).replaceAll(key, 'KEY').slice(0, 1_500)}: ${fault}`)
}

function faultOfAnswer(
  answer: Exclude<Reading, string>,
  { probe, isApart }: { probe: ReturnType<typeof makeProbe>; isApart: boolean },
): string | undefined {
  // Bun itself responds with 505 if the first line is not three words, of which the last is a supported HTTP version.
  if (answer.status >= 500 && answer.status !== 505) return `an internal error: ${describeReading(answer)}`
  const isOfProbe = headerOf(answer, 'x-request-id') === probe.id
  return isOfProbe && isApart ? probe.check(answer) : undefined
}
