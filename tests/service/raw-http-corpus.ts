// Requests that no well-behaved client sends, defined byte by byte, each with its expected result. If RFC 9110 and RFC
// 9112 allow several results, the safest one is expected: a refusal and the end of the connection.
import type { Bytes, Sent } from './raw-http-client.ts'

// Bun 1.4.5 refuses some requests before the service's code runs. If the request line does not consist of three words
// with a known version, the status is 505 instead of 400. If the method is unknown, Bun closes the connection without a
// response. Bun refuses trailers, and empty lines before a request. Bun answers `Expect` with up to three 100 responses
// and never refuses it.

/** One case: a request, or bytes that resemble a request. */
export interface RawCase {
  readonly name: string
  readonly sent: Sent
  /** Allowed statuses of the first response; 0 if the connection may end without one. */
  readonly statuses: readonly number[]
  /** What must happen after the response: the connection is closed, or it stays open and the next request is answered. */
  readonly after: 'closes' | 'stays'
  /** The reason that the response body must give. */
  readonly reason?: string
  /** Headers that the response must have. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The values that requests are built from. */
export interface RawSettings {
  readonly key: string
}

/**
 * One path for each way in which the service handles a path: by Bun's router, by Elysia, without a key, and as unknown.
 */
export const STOP_PATH = '/v1/stops/ville:stop:CA'
export const PLACES = [STOP_PATH, '/v1/usage', '/v1/health', '/v1/nothing'] as const

const ALLOW = { allow: 'GET, HEAD' }

/** The Host and Authorization headers of a valid request. */
export function credentials({ key }: RawSettings): string {
  return `Host: localhost\r\nAuthorization: Bearer ${key}\r\n`
}

/**
 * Builds a request with valid credentials.
 * @param more header lines, each with its line ending
 */
export function request(settings: RawSettings, line: string, more = '', body = ''): string {
  return `${line}\r\n${credentials(settings)}${more}\r\n${body}`
}

/** All cases of the corpus. */
export function listRawCases(settings: RawSettings): RawCase[] {
  return [
    ...listSizes(settings),
    ...listMethods(settings),
    ...listVersions(settings),
    ...listTargets(settings),
    ...listHosts(settings),
    ...listBrokenHeaders(settings),
    ...listOddHeaders(settings),
    ...listCredentials(settings),
  ]
}

const lines = (count: number, value: string) => Array.from({ length: count }, (_, i) => `X-${i}: ${value}\r\n`).join('')

function listSizes(settings: RawSettings): RawCase[] {
  const get = (path: string, more = '') => request(settings, `GET ${path} HTTP/1.1`, more)
  const refused = (name: string, sent: Sent): RawCase => ({ name, sent, statuses: [431], after: 'closes' })
  const tooLong = (name: string, sent: Bytes): RawCase => ({
    name,
    sent,
    statuses: [414],
    after: 'stays',
    reason: 'uri_too_long',
  })
  const fine = (name: string, sent: Sent): RawCase => ({ name, sent, statuses: [200], after: 'stays' })
  return [
    refused('a header of 17 kB', get('/v1/health', `X-A: ${'a'.repeat(17_000)}\r\n`)),
    refused('a header of 1 MB', get('/v1/health', `X-A: ${'a'.repeat(1_000_000)}\r\n`)),
    refused('a header name of 17 kB', get('/v1/health', `${'A'.repeat(17_000)}: a\r\n`)),
    refused('headers of 20 kB together', get('/v1/health', lines(20, 'a'.repeat(1000)))),
    refused('250 headers', get('/v1/health', lines(250, 'a'))),
    refused('5000 headers', get('/v1/health', lines(5000, 'a'))),
    fine('a header of 8 kB', get('/v1/health', `X-A: ${'a'.repeat(8_000)}\r\n`)),
    fine('150 headers', get('/v1/health', lines(150, 'a'))),
    tooLong('a query of 5 kB', get(`/v1/health?${'a'.repeat(5_000)}`)),
    tooLong('a path of 5 kB', get(`/v1/${'a'.repeat(5_000)}`)),
    tooLong('a stop id of 5 kB', get(`/v1/stops/${'a'.repeat(5_000)}`)),
    tooLong('a query of 5 kB for a page', get(`/docs?${'a'.repeat(5_000)}`)),
    refused('a query of 17 kB', get(`/v1/health?${'a'.repeat(17_000)}`)),
    refused('a path of 1 MB', get(`/v1/${'a'.repeat(1_000_000)}`)),
    { name: 'a method of 1 MB', sent: 'A'.repeat(1_000_000), statuses: [0, 400, 431], after: 'closes' },
    fine('1000 parameters', get(`/v1/networks?${'a=&'.repeat(1000)}`)),
    fine('1000 separators', get(`/v1/networks?${'&'.repeat(1000)}`)),
    fine('a parameter name of 3 kB', get(`/v1/networks?${'n'.repeat(3_000)}=1`)),
    fine('a name of 1000 percent signs', get(`/v1/networks?${'%'.repeat(1_000)}=1`)),
    fine('a request byte by byte', [...get('/v1/health')]),
    fine('a request split between CR and LF', [get('/v1/health').slice(0, -1), '\n']),
  ]
}

function listMethods(settings: RawSettings): RawCase[] {
  const cases: RawCase[] = []
  for (const path of PLACES) {
    const of = (method: string) => request(settings, `${method} ${path} HTTP/1.1`)
    const known = path !== '/v1/nothing'
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH', 'PURGE']) {
      cases.push({
        name: `${method} ${path}`,
        sent: of(method),
        statuses: [known ? 405 : 404],
        after: 'stays',
        reason: known ? 'method_not_allowed' : 'not_found',
        ...(known ? { headers: ALLOW } : {}),
      })
    }
    cases.push(
      { name: `OPTIONS ${path}`, sent: of('OPTIONS'), statuses: [204], after: 'stays', headers: ALLOW },
      { name: `CONNECT ${path}`, sent: of('CONNECT'), statuses: [405], after: 'closes', headers: ALLOW },
    )
    for (const method of ['get', 'Get', 'hEAD', 'FOO', 'POSTX', 'X'.repeat(200), 'GET,POST', 'PRI']) {
      cases.push({ name: `${method} ${path}`, sent: of(method), statuses: [0, 400, 405], after: 'closes' })
    }
    for (const method of ['', 'G ET', 'G@T', 'GET1', '[]', 'G\0T', ' GET', '{GET}']) {
      cases.push({ name: `"${method}" ${path}`, sent: of(method), statuses: [400, 505], after: 'closes' })
    }
    cases.push({ name: `G\u00e9T ${path}`, sent: of('G\u00e9T'), statuses: [400, 505], after: 'closes' })
  }
  return cases
}

function listVersions(settings: RawSettings): RawCase[] {
  const closes = (name: string, sent: Sent, statuses: readonly number[]): RawCase => ({
    name,
    sent,
    statuses,
    after: 'closes',
  })
  const of = (version: string) => request(settings, `GET /v1/health ${version}`)
  return [
    ...[
      'HTTP/1.2',
      'HTTP/2.0',
      'HTTP/0.9',
      'HTTP/1.x',
      'HTTP/1',
      'http/1.1',
      'HTTP/11',
      'HTTP/1.1 ',
      'HTPT/1.1',
      '',
    ].map((version) => closes(`version "${version}"`, of(version), [400, 505])),
    closes('HTTP/0.9, a bare line', 'GET /v1/health\r\n\r\n', [400, 505]),
    closes('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 505]),
    closes('a TLS greeting', Uint8Array.of(22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3, 13, 10, 13, 10), [0, 400]),
    closes('words', 'hello there, this is garbage\r\n\r\n', [0, 400, 505]),
    closes('empty lines', '\r\n\r\n', [400]),
    closes('an empty line before a request', `\r\n${of('HTTP/1.1')}`, [400]),
    closes('tabs between the words', request(settings, 'GET\t/v1/health\tHTTP/1.1'), [400, 505]),
    closes('two spaces before the path', request(settings, 'GET  /v1/health HTTP/1.1'), [400, 505]),
    closes('HTTP/1.0 without a Host', 'GET /v1/health HTTP/1.0\r\n\r\n', [200]),
    closes('HTTP/1.0 that asks to be kept', 'GET /v1/health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', [200]),
    closes('Connection: close', request(settings, 'GET /v1/health HTTP/1.1', 'Connection: close\r\n'), [200]),
  ]
}

/**
 * Unusual forms of paths, each with the expected status. They are dangerous if two forms mean the same path: in a chain
 * of servers, one server may check the first form and another may serve the second.
 */
const TARGETS: readonly (readonly [target: string, status: number])[] = [
  ['http://elsewhere.example/v1/usage', 200],
  ['https://elsewhere.example:99999/v1/usage', 200],
  ['http://user:word@elsewhere.example/v1/usage', 200],
  ['http://[::1]/v1/usage', 200],
  ['http://elsewhere.example', 200],
  ['http://elsewhere.example?/v1/usage', 200],
  ['//v1/usage', 404],
  ['/v1//usage', 404],
  ['//elsewhere.example/v1/usage', 404],
  ['/./v1/usage', 200],
  ['/v1/../v1/usage', 200],
  ['/v1/%2e%2E/v1/usage', 200],
  ['/v1/stops/../usage', 200],
  ['/v1/stops/..', 404],
  ['/v1/stops/%2e%2e', 404],
  ['/v1/stops/ville:stop:CA/..', 404],
  ['/v1/stops/../../../../etc/passwd', 404],
  ['/../../etc/passwd', 404],
  ['/v1/stops/a%2f..%2f..%2fusage', 404],
  ['/v1%2fusage', 404],
  ['/v1/%75sage', 404],
  ['/v1/usage/', 404],
  ['/V1/usage', 404],
  ['/v1/usage;a=b', 404],
  ['/v1/usage%00', 404],
  ['/v1/usage%20', 404],
  ['/v1/health\x7f', 404],
  ['/v1/usage?', 200],
  ['/v1/usage?%', 200],
  ['/v1/usage?%zz=%&=&&&==?', 200],
  ['/v1/usage?http://elsewhere.example/v1/health', 200],
  ['/v1/networks?limit=%zz', 200],
  ['/v1/networks/ville/stops?limit=%zz', 400],
  ['/v1/networks/ville/stops?q=%ff', 400],
  ['/v1/networks/ville/stops?q=%c0%af', 400],
  ['/v1/networks/ville/stops?q=%ed%a0%80', 400],
  ['/%', 404],
  ['/v1/stops/%', 404],
  ['/v1/stops/%zz', 404],
  ['/v1/stops/%ff%fe', 404],
  ['/v1/stops/%00', 404],
  ['/v1/stops/\xc3\xa9', 404],
  ['/v1/stops/\xff\xfe', 404],
  ['/v1/stops/__proto__', 404],
  ['/\\elsewhere.example', 404],
]

function listTargets(settings: RawSettings): RawCase[] {
  const of = (target: string) => request(settings, `GET ${target} HTTP/1.1`)
  const broken = [
    '*',
    'localhost:80',
    'ftp://elsewhere.example/v1/usage',
    'http:/v1/usage',
    'usage',
    '?a',
    '',
    '#',
    '/v1/st\x01ops',
    '/v1/st\tops',
    '/v1/he\0alth',
    '/v1/health x',
  ]
  return [
    ...TARGETS.map(
      ([target, status]): RawCase => ({
        name: `target ${target}`,
        sent: of(target),
        statuses: [status],
        after: 'stays',
      }),
    ),
    ...broken.map(
      (target): RawCase => ({
        name: `target ${target}`,
        sent: of(target),
        statuses: [400, 505],
        after: 'closes',
      }),
    ),
    { name: 'OPTIONS *', sent: request(settings, 'OPTIONS * HTTP/1.1'), statuses: [204, 400], after: 'closes' },
    {
      name: 'CONNECT to a host',
      sent: request(settings, 'CONNECT localhost:80 HTTP/1.1'),
      statuses: [400, 405],
      after: 'closes',
      headers: ALLOW,
    },
  ]
}

/**
 * Requests with different Host headers. A request without a Host header, with two, or with an invalid one must be
 * refused (RFC 9112, 3.2). A request with an unusual but valid one must be answered.
 */
function listHosts({ key }: RawSettings): RawCase[] {
  const of = (path: string, hosts: string) => `GET ${path} HTTP/1.1\r\n${hosts}Authorization: Bearer ${key}\r\n\r\n`
  const refused = ['', 'Host : a\r\n', 'Host: a\r\nHost: b\r\n', 'Host: a\r\nHost: a\r\n', 'Host: a b\r\n']
  refused.push(
    'Host: a/b\r\n',
    'Host: u@a\r\n',
    'Host: a,b\r\n',
    'Host: a?b\r\n',
    'Host:\r\nHost: a\r\n',
    'Host: \\\r\n',
  )
  const taken = ['Host:\r\n', 'Host: a\r\n', 'Host: a:1\r\n', 'Host: [::1]:80\r\n', 'host:a\r\n']
  return [...PLACES, '/docs'].flatMap((path) => [
    ...refused.map(
      (hosts): RawCase => ({
        name: `${JSON.stringify(hosts)} for ${path}`,
        sent: of(path, hosts),
        statuses: [400],
        after: 'closes',
      }),
    ),
    ...taken.map(
      (hosts): RawCase => ({
        name: `${JSON.stringify(hosts)} for ${path}`,
        sent: of(path, hosts),
        statuses: [path === '/v1/nothing' ? 404 : 200],
        after: 'stays',
      }),
    ),
  ])
}

function listBrokenHeaders(settings: RawSettings): RawCase[] {
  const head = `GET /v1/health HTTP/1.1\r\n${credentials(settings)}`
  const broken: Record<string, string> = {
    'a space before the colon': `${head}X-A : b\r\n\r\n`,
    'a tab before the colon': `${head}X-A\t: b\r\n\r\n`,
    'a folded line': `${head}X-A: b\r\n c\r\n\r\n`,
    'a line folded with a tab': `${head}X-A: b\r\n\tc\r\n\r\n`,
    'a folded first line': `GET /v1/health HTTP/1.1\r\n X: y\r\n${credentials(settings)}\r\n`,
    'a bare LF after the first line': `GET /v1/health HTTP/1.1\n${credentials(settings)}\r\n`,
    'bare LFs only': 'GET /v1/health HTTP/1.1\nHost: a\n\n',
    'a bare LF after a header': `${head}X-A: b\nX-B: c\r\n\r\n`,
    'a bare LF as the last line': `${head}\n`,
    'a bare CR after the first line': `GET /v1/health HTTP/1.1\r${credentials(settings)}\r\n\r\n`,
    'a bare CR in a value': `${head}X-A: b\rX-B: c\r\n\r\n`,
    'two CRs': `${head}X-A: b\r\r\n\r\n`,
    'NUL in a value': `${head}X-A: b\0c\r\n\r\n`,
    'NUL in a name': `${head}X\0A: b\r\n\r\n`,
    'control characters in a value': `${head}X-A: b\x01c\x1f\r\n\r\n`,
    'a byte above ASCII in a name': `${head}X\xe9A: b\r\n\r\n`,
    'no name': `${head}: b\r\n\r\n`,
    'no colon': `${head}garbage\r\n\r\n`,
    'a space in a name': `${head}X A: b\r\n\r\n`,
    'a quote in a name': `${head}X"A": b\r\n\r\n`,
  }
  return Object.entries(broken).map(([name, sent]) => ({ name, sent, statuses: [400, 505], after: 'closes' }))
}

/** Headers with unusual values, each with the allowed statuses. In most cases, the response must not change. */
function listOddHeaders(settings: RawSettings): RawCase[] {
  const websocket = 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
  const odd: readonly (readonly [headers: string, statuses: readonly number[]])[] = [
    [`Connection: Upgrade\r\n${websocket}`, [200]],
    ['Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n', [200]],
    ['Connection: , ,keep-alive,,\r\n', [200]],
    ['Expect: 100-continue\r\n', [200]],
    ['Expect: miracles\r\n', [200, 417]],
    ['Range: bytes=0-4\r\n', [200]],
    ['Range: bytes=-1,0-0,5-1,99999999999999999999-\r\n', [200]],
    ['If-Range: *\r\nRange: lines=x\r\n', [200]],
    ['If-None-Match: *\r\n', [304]],
    ['If-None-Match: ,,,"a",W/"b" , "unclosed\r\n', [200]],
    [`If-None-Match: ${'"a",'.repeat(2_000)}"b"\r\n`, [200]],
    ['If-None-Match: W/"\xff\xfe"\r\nIf-None-Match: "x"\r\n', [200]],
    ['If-Match: "x"\r\nIf-Unmodified-Since: yesterday\r\nIf-Modified-Since: \xff\r\n', [200]],
    ['Accept: ,;q=,*/*;q=1e9,/;=\r\n', [200]],
    ['Accept: \xff/\xfe\r\n', [406]],
    [`Accept: ${'text/html,'.repeat(700)}*/*\r\n`, [200]],
    ['Accept: text/html\r\nAccept: application/json\r\n', [200]],
    ['Accept-Encoding: gzip;q=0, *;q=0, identity;q=0\r\n', [200, 406]],
    ['Accept-Encoding: \xff, gzip;q=nan,,br;q=-1\r\n', [200]],
    ['Accept-Language: \xff\r\nAccept-Charset: ;\r\nTE: trailers, x\r\nTrailer: Host\r\n', [200]],
    ['X-Request-Id: a\tb <script>\r\nX-Request-Id: \xff\r\n', [200]],
    ['Origin: null\r\nReferer: \xff\r\nCookie: a=b; __proto__=c\r\n', [200]],
    ['Content-Length: 0\r\n', [200]],
    ['Content-Type: multipart/form-data\r\nContent-Encoding: gzip\r\n', [200]],
    ['X-HTTP-Method-Override: DELETE\r\nX-Original-URL: /admin\r\nX-Rewrite-URL: /admin\r\n', [200]],
    ['Forwarded: for=10.0.0.1;host=\xff\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Host: evil\r\n', [200]],
    ['__proto__: x\r\nconstructor: y\r\nhasOwnProperty: z\r\n', [200]],
  ]
  return odd.map(([headers, statuses]) => ({
    name: `odd headers ${JSON.stringify(headers.slice(0, 60))}`,
    sent: request(settings, `GET ${STOP_PATH} HTTP/1.1`, headers),
    statuses,
    after: 'stays',
  }))
}

function listCredentials({ key }: RawSettings): RawCase[] {
  const of = (authorization: string) =>
    `GET /v1/usage HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`
  const refused = [
    `Bearer ${key}\r\nAuthorization: Bearer ${key}`,
    `Bearer ${key}\r\nAuthorization: Bearer x`,
    `Bearer x\r\nauthorization: Bearer ${key}`,
    `Bearer ${key}, Bearer ${key}`,
    `Bearer ${key} x`,
    `Bearer ${key}\u00ff`,
    `Bearer\t${key}`,
    `Bearer ${'a'.repeat(8_192)}`,
    'Bearer \u00e9\u00ff',
    'Bearer',
    'Basic eDp5',
    '',
  ]
  return [
    ...refused.map(
      (authorization): RawCase => ({
        name: `Authorization: ${JSON.stringify(authorization.replaceAll(key, 'KEY').slice(0, 60))}`,
        sent: of(authorization),
        statuses: [401],
        after: 'stays',
        reason: 'invalid_token',
      }),
    ),
    { name: 'NUL after a key', sent: of(`Bearer ${key}\0`), statuses: [400], after: 'closes' },
    { name: 'spaces and tabs around a credential', sent: of(` \tBearer ${key} \t`), statuses: [200], after: 'stays' },
  ]
}
