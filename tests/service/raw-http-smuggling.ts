// Tests request smuggling: if two readers disagree about where a request ends, a second request can be hidden in it.
// Combines each framing fault with several routes and methods. The hidden request must never be answered, and the
// connection must be closed.
import { credentials, type RawCase, type RawSettings, STOP_PATH } from './raw-http-corpus.ts'

/** The id of the hidden request. A response with it would prove that the hidden request was processed. */
export const HIDDEN_ID = 'hidden-request'

const HIDDEN = `GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${HIDDEN_ID}\r\n\r\n`
const HIDDEN_SIZE = HIDDEN.length.toString(16)

/** Framing faults by name: the header lines and the body of a request whose end is ambiguous. */
const FAULTS: Readonly<Record<string, readonly [headers: string, body: string]>> = {
  'CL and TE': ['Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE and CL': [`Transfer-Encoding: chunked\r\nContent-Length: ${HIDDEN.length}\r\n`, `0\r\n\r\n${HIDDEN}`],
  'TE and CL of 0': ['Transfer-Encoding: chunked\r\nContent-Length: 0\r\n', HIDDEN],
  'two CLs': [`Content-Length: 0\r\nContent-Length: ${HIDDEN.length}\r\n`, HIDDEN],
  'two CLs, the longer first': [`Content-Length: ${HIDDEN.length}\r\nContent-Length: 0\r\n`, HIDDEN],
  'two equal CLs': [`Content-Length: ${HIDDEN.length}\r\nContent-Length: ${HIDDEN.length}\r\n`, HIDDEN],
  'a list of CLs': [`Content-Length: ${HIDDEN.length}, 0\r\n`, HIDDEN],
  'a list of equal CLs': ['Content-Length: 0, 0\r\n', HIDDEN],
  'CL of -1': ['Content-Length: -1\r\n', HIDDEN],
  'CL of +0': ['Content-Length: +0\r\n', HIDDEN],
  'CL in hex': [`Content-Length: 0x${HIDDEN_SIZE}\r\n`, HIDDEN],
  'CL with a decimal point': ['Content-Length: 0.0\r\n', HIDDEN],
  'CL with an exponent': ['Content-Length: 1e2\r\n', HIDDEN],
  'CL with a space': ['Content-Length: 0 0\r\n', HIDDEN],
  'CL with an underscore': ['Content-Length: 1_0\r\n', HIDDEN],
  'CL that overflows 64 bits': ['Content-Length: 18446744073709551616\r\n', HIDDEN],
  'CL that wraps 64 bits': [`Content-Length: ${2n ** 64n + 5n}\r\n`, HIDDEN],
  'CL beyond the limit': ['Content-Length: 9999999999\r\n', HIDDEN],
  'CL without a value': ['Content-Length:\r\n', HIDDEN],
  'CL, a space before the colon': [`Content-Length : ${HIDDEN.length}\r\n`, HIDDEN],
  'CL, folded': [`Content-Length:\r\n ${HIDDEN.length}\r\n`, HIDDEN],
  'CL after a bare LF': [`X-A: b\nContent-Length: ${HIDDEN.length}\r\n`, HIDDEN],
  'CL after a bare CR': [`X-A: b\rContent-Length: ${HIDDEN.length}\r\n`, HIDDEN],
  'CL after NUL': [`X-A: b\0\r\nContent-Length: ${HIDDEN.length}\r\n`, HIDDEN],
  'TE chunked, a hidden body': ['Transfer-Encoding: chunked\r\n', `${HIDDEN_SIZE}\r\n${HIDDEN}\r\n0\r\n\r\n`],
  'TE identity': ['Transfer-Encoding: identity\r\n', HIDDEN],
  'TE chunked, identity': ['Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE xchunked': ['Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE twice': ['Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE twice, the second unknown': ['Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE twice, the first unknown': ['Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE gzip, chunked': ['Transfer-Encoding: gzip, chunked\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE after a tab': ['Transfer-Encoding:\tchunked\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE, a tab before the colon': ['Transfer-Encoding\t: chunked\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE, folded': ['Transfer-Encoding:\r\n chunked\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE after a vertical tab': ['Transfer-Encoding: \vchunked\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE in quotes': ['Transfer-Encoding: "chunked"\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE after a comma': ['Transfer-Encoding: ,chunked\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE with a parameter': ['Transfer-Encoding: chunked;q=1\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE in capitals': ['TRANSFER-ENCODING: CHUNKED\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE without a value': ['Transfer-Encoding:\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE after a bare LF': ['X-A: b\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${HIDDEN}`],
  'TE hidden by NUL': ['Transfer-Encoding: chunked\0\r\n', `0\r\n\r\n${HIDDEN}`],
  'Connection: Content-Length': ['Connection: Content-Length\r\nContent-Length: 9999999\r\n', HIDDEN],
}

/** Bodies with invalid chunks, by name. They are sent with the header `Transfer-Encoding: chunked`. */
const CHUNKS: Readonly<Record<string, string>> = {
  'a size that is not a number': `zz\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
  'a negative size': `-5\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
  'a size with 0x': `0x5\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
  'a size with +': `+5\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
  'a size of 72 bits': `ffffffffffffffffff\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
  'a size that wraps 64 bits': `10000000000000005\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
  'a size that is too small': `3\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
  'a size that is too large': `7\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
  'a size after a space': ` 5\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
  'a size before a space': `5 \r\nhello\r\n0 \r\n\r\n${HIDDEN}`,
  'no size': `\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
  'bare LFs': `5\nhello\n0\n\n${HIDDEN}`,
  'a bare LF after the size': `5\nhello\r\n0\r\n\r\n${HIDDEN}`,
  'a bare CR after the size': `5\rhello\r\n0\r\n\r\n${HIDDEN}`,
  'an extension': `5;a=b\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
  'an extension with a bare LF': `5;a\nb\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
  'an extension of 20 kB': `5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
  'a size of 20 000 zeros': `${'0'.repeat(20_000)}5\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
  'a trailer': `0\r\nX-T: a\r\n\r\n${HIDDEN}`,
  'a trailer that frames': `0\r\nContent-Length: 500\r\nHost: evil\r\n\r\n${HIDDEN}`,
  'a last chunk that lacks its end': `0\r\n${HIDDEN}`,
  'a last chunk of several zeros': `000000\r\n\r\n${HIDDEN}`,
}

const FIRST_LINES = [
  `GET ${STOP_PATH} HTTP/1.1`,
  'GET /v1/health HTTP/1.1',
  'POST /v1/networks HTTP/1.1',
  'GET /docs HTTP/1.1',
] as const

/**
 * Returns a case for each combination of a fault and a request line. A request can also be hidden in the body of
 * OPTIONS or DELETE, so each fault is also combined with one of these two, in turn.
 */
export function listSmugglingCases(settings: RawSettings): RawCase[] {
  const faults = [
    ...Object.entries(FAULTS),
    ...Object.entries(CHUNKS).map(
      ([name, body]) => [`chunks: ${name}`, ['Transfer-Encoding: chunked\r\n', body]] as const,
    ),
  ]
  return faults.flatMap(([name, [headers, body]], index) => {
    const lines = [...FIRST_LINES, index % 2 === 0 ? 'OPTIONS /v1/usage HTTP/1.1' : 'DELETE /nothing HTTP/1.1']
    return lines.map(
      (line): RawCase => ({
        name: `${name}, ${line}`,
        sent: `${line}\r\n${credentials(settings)}${headers}\r\n${body}`,
        statuses: [400, 413],
        after: 'closes',
      }),
    )
  })
}
