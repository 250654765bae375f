// Requests derived from the corpus at random: bytes flipped, cut, doubled, moved, two cases joined, sent in pieces.
// For all of them, every response is complete, none is our fault (5xx), none goes to another request, and
// there is always a response or an end once the missing parts have been sent.
import { below, pick, type Random } from '../../src/demo/seeded-random.ts'
import { headerOf, RawConnection, type Reading } from './raw-http-client.ts'
import { ANSWER_MILLIS, makeProbe, tell } from './raw-http-exchange.ts'

/** Bytes that split, end, frame or hide something in HTTP. */
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

/** Longest request that is mutated: longer ones only test their length, and are in the corpus. */
const MUTATED_BYTES = 8_192

/** One to three changes to a request; returns the result, sometimes in pieces. */
export function mutate(random: Random, originals: readonly string[]): readonly string[] {
  let text = pick(random, originals).slice(0, MUTATED_BYTES)
  for (let changes = 1 + below(random, 3); changes > 0; changes--) text = change(random, text, originals)
  // The reader must know which responses have no body, so no request may become HEAD.
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

/** Maximum number of responses to a mutated request: at most this many requests can be hidden in it, and a few more. */
const MOST_ANSWERS = 60
/** How long a server may stay silent before it is assumed to wait for more. */
const QUIET_MILLIS = 150
/** Ends whatever is still open: a head, a body within the limit; after a whole request, it is not a valid request. */
const ENDING = `\r\n\r\n${'z'.repeat(70_000)}\r\n\r\n`

/** Sends a mutated request, a valid one after it, and the parts that may be missing; returns the faults. */
export async function faultsOfMutation(port: number, key: string, sent: readonly string[]): Promise<string[]> {
  const connection = await RawConnection.open(port)
  const probe = makeProbe(key)
  // After an unfinished line or head, whatever is sent next legally belongs to it, including the valid request's id.
  const isApart = sent.join('').endsWith('\r\n\r\n')
  const faults: string[] = []
  let hasEnding = false
  try {
    await connection.send([...sent.slice(0, -1), (sent.at(-1) ?? '') + probe.sent])
    for (let answers = 0; ; answers++) {
      const next = await connection.read({ millis: hasEnding ? ANSWER_MILLIS : QUIET_MILLIS })
      if (next === 'closed') break
      if (next === 'silence') {
        if (hasEnding) faults.push('neither a response nor an end')
        if (hasEnding) break
        hasEnding = true
        await connection.send(ENDING)
        continue
      }
      if (answers > MOST_ANSWERS) faults.push('answers without end')
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
  // 505 comes from Bun if the first line is not three words of a known version.
  if (answer.status >= 500 && answer.status !== 505) return `an error of ours: ${tell(answer)}`
  const isOfProbe = headerOf(answer, 'x-request-id') === probe.id
  return isOfProbe && isApart ? probe.check(answer) : undefined
}
