// Generates requests that test every route and every parameter in turn. At random, a request is valid, has a single
// fault, or has several faults. A request can be reproduced from its seed and its number, except for cursors and entity
// tags, which come from earlier responses.
import { below, pick, type Random } from '../../../src/demo/seeded-random.ts'
import type { FuzzKeys } from './fuzzed-service.ts'
import type { GeneratedRequest, Pair } from './generated-request.ts'
import { allowedText, encodeText, nearMiss } from './hostile-values.ts'
import { MALFORMED_TEXTS, nastyText } from './nasty-texts.ts'
import { ACCEPTS, badCredential, FOREIGN_TAGS, goodCredential, IDLE_HEADERS } from './request-headers.ts'
import type { ExpectedParameter, ExpectedRoute, KnownIds } from './route-expectations.ts'

/** Cursors and entity tags from earlier responses. */
export interface Remembered {
  /** Each cursor, with the path and the filters of the request that returned it. */
  readonly cursors: { readonly path: string; readonly filters: readonly Pair[]; readonly cursor: string }[]
  /** Path and query → entity tag. */
  readonly tags: Map<string, string>
}

/** The data that requests are generated from. */
export interface GeneratorParts {
  readonly routes: readonly ExpectedRoute[]
  readonly ids: KnownIds
  readonly keys: FuzzKeys
  readonly remembered: Remembered
}

/**
 * Where a request has faults: nowhere (`sound`), in the tested parameter, in the path, in a header, in the method, or
 * anywhere (`wild`). `page` requests the next page after an earlier response.
 */
const PLANS = ['sound', 'sound', 'parameter', 'parameter', 'path', 'headers', 'method', 'wild', 'page'] as const
type Plan = (typeof PLANS)[number]

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE']

/** Query pairs that are malformed, or whose names are not parameters of any route. */
const STRANGE_PAIRS = [
  '__proto__=1',
  '__proto__[limit]=1',
  'constructor=x',
  'constructor.prototype.x=1',
  'toString=1',
  'hasOwnProperty=1',
  'limit[]=5',
  'limit%5B%5D=5',
  'limit;x=5',
  'LIMIT=0',
  'limit%00=0',
  'key=abc',
  'access_token=abc',
  '%=1',
  '%zz=1',
  '%ff',
  '=',
  '=1',
  '&',
  '[]=1',
  'a=b=c',
  '\u202elimit=0',
  '%E2%80%8Blimit=0',
]

export class RequestGenerator {
  private readonly parts: GeneratorParts
  /** What the requests test, in turn: each route as a whole (`name` is undefined), and each parameter of each route. */
  private readonly aims: readonly { readonly route: ExpectedRoute; readonly name: string | undefined }[]
  private readonly lines: readonly string[]
  private readonly stops: readonly string[]

  constructor(parts: GeneratorParts) {
    this.parts = parts
    this.aims = parts.routes.flatMap((route) => [
      { route, name: undefined },
      ...Object.keys(route.parameters).map((name) => ({ route, name })),
    ])
    this.lines = [...parts.ids.lines]
    this.stops = [...parts.ids.stops]
  }

  /** Generates the request with this number. */
  make(random: Random, number: number): GeneratedRequest {
    const { route, name } = this.aims[number % this.aims.length] ?? this.aims[0]
    const plan = pick<Plan>(random, PLANS)
    const hasCursor = 'cursor' in route.parameters
    if (plan === 'page' && hasCursor && this.parts.remembered.cursors.length > 0) return this.makePage(random, route)
    const isWild = plan === 'wild'
    const pairs = this.makePairs(random, route, { about: name, isFaulty: plan === 'parameter', isWild })
    const path =
      plan === 'path' || (isWild && random() < 0.3) ? this.hostilePath(random, route) : this.soundPath(random, route)
    const strange = random() < 0.2 ? [pick(random, STRANGE_PAIRS)] : []
    const address = toAddress(path, shuffled(random, [...pairs.map(({ raw }) => raw), ...strange]))
    return this.dress(random, { address, pairs }, plan)
  }

  /**
   * Generates a request for the next page after an earlier response: with the cursor from that response, with a cursor
   * from a different query, or with a damaged cursor.
   */
  private makePage(random: Random, route: ExpectedRoute): GeneratedRequest {
    const { cursors } = this.parts.remembered
    const page = pick(random, cursors)
    const way = below(random, 4)
    const isOwn = way < 2
    const cursor = way === 3 ? damaged(random, page.cursor) : page.cursor
    const verdict = isOwn ? 'allowed' : way === 3 ? 'open' : 'refused'
    const pair: Pair = { name: 'cursor', text: cursor, raw: `cursor=${encodeURIComponent(cursor)}`, verdict }
    const limit = 1 + below(random, 10)
    const more: Pair[] = random() < 0.5 ? [{ name: 'limit', text: `${limit}`, raw: `limit=${limit}` }] : []
    if (way !== 2) {
      const pairs = [...page.filters, pair, ...more]
      return this.dress(
        random,
        {
          address: toAddress(
            page.path,
            pairs.map(({ raw }) => raw),
          ),
          pairs,
        },
        'sound',
      )
    }
    const otherPath = page.path.replace(/(?<=networks\/)(?:ville|odd)/, (slug) => (slug === 'odd' ? 'ville' : 'odd'))
    if (otherPath !== page.path && random() < 0.3) {
      const pairs = [...page.filters, { ...pair, verdict: 'refused' as const }, ...more]
      const address = toAddress(
        otherPath,
        pairs.map(({ raw }) => raw),
      )
      return this.dress(random, { address, pairs }, 'sound')
    }
    // This value makes the query differ from all earlier queries, so the cursor comes from a different query.
    const name = 'q' in route.parameters ? 'q' : 'when'
    const text = name === 'q' ? `zz${number36(random)}` : new Date(below(random, 4e12)).toISOString()
    const requested: Pair[] = [{ name, text, raw: `${name}=${text}` }]
    const required = this.requiredPairs(random, route)
    const pairs = [...requested, ...required, pair, ...more]
    return this.dress(
      random,
      {
        address: toAddress(
          this.soundPath(random, route),
          pairs.map(({ raw }) => raw),
        ),
        pairs,
      },
      'sound',
    )
  }

  private requiredPairs(random: Random, route: ExpectedRoute): Pair[] {
    return Object.entries(route.parameters)
      .filter(([, { isRequired }]) => isRequired)
      .map(([name, parameter]) => this.soundPair(random, name, parameter))
  }

  private makePairs(
    random: Random,
    route: ExpectedRoute,
    want: { about: string | undefined; isFaulty: boolean; isWild: boolean },
  ): Pair[] {
    const pairs: Pair[] = []
    for (const [name, parameter] of Object.entries(route.parameters)) {
      const isAbout = name === want.about
      const isIncluded = parameter.isRequired || isAbout || random() < 0.25
      if (!isIncluded) continue
      const isFaulty = (isAbout && want.isFaulty) || (want.isWild && random() < 0.4)
      if (isFaulty) pairs.push(...this.faultyPairs(random, name, parameter))
      else if (parameter.kind.of !== 'cursor' && parameter.isForbidden !== true)
        pairs.push(this.soundPair(random, name, parameter))
    }
    return pairs
  }

  private soundPair(random: Random, name: string, parameter: ExpectedParameter): Pair {
    const text = allowedText(random, parameter.kind, this.parts.ids)
    return { name, text, raw: `${encodeName(random, name)}=${encodeText(random, text)}` }
  }

  /**
   * Query pairs for a parameter, usually with an invalid value. The parameter's judge decides whether the value is
   * invalid.
   */
  private faultyPairs(random: Random, name: string, parameter: ExpectedParameter): Pair[] {
    const { kind } = parameter
    const isCursor = kind.of === 'cursor'
    const encoded = encodeName(random, name)
    const of = (made: string): Pair => {
      // URLs cannot contain half of a surrogate pair, so it is replaced.
      const text = made.toWellFormed()
      const pair = { name, text, raw: `${encoded}=${encodeText(random, text)}` }
      // A cursor that the service has never sent must be refused.
      return isCursor ? { ...pair, verdict: 'refused' } : pair
    }
    switch (below(random, 8)) {
      case 0:
        return parameter.isRequired ? [] : [of(nastyText(random))]
      case 1: {
        const sound = this.soundPair(random, name, parameter)
        return [sound, random() < 0.5 ? sound : this.soundPair(random, name, parameter)]
      }
      case 2:
        return [{ name, text: undefined, raw: `${encoded}=${pick(random, MALFORMED_TEXTS)}` }]
      case 3:
        return [{ name, text: '', raw: pick(random, [`${encoded}=`, encoded]) }]
      case 4:
        return [of(nastyText(random))]
      default:
        return [of(nearMiss(random, kind, this.parts.ids))]
    }
  }

  private knownId(random: Random, route: ExpectedRoute): string {
    const { networks, journeys, trips } = this.parts.ids
    const ids = {
      network: networks,
      line: this.lines,
      stop: this.stops,
      journey: [...journeys],
      trip: [...trips],
      nothing: [''],
    }
    return pick(random, ids[route.pathKind])
  }

  private soundPath(random: Random, route: ExpectedRoute): string {
    const id = this.knownId(random, route)
    const raw = random() < 0.5 ? encodeURIComponent(id) : encodeURIComponent(id).replaceAll('%3A', ':')
    return route.path.replace(':id', () => raw)
  }

  private hostilePath(random: Random, route: ExpectedRoute): string {
    const id = this.knownId(random, route)
    const encoded = encodeURIComponent(id)
    if (route.pathKind === 'nothing') {
      const { path } = route
      return pick(random, [
        `${path}/`,
        path.toUpperCase(),
        `${path}x`,
        `${path}/x`,
        `/v1/.${path.slice(3)}`,
        `/${path}`,
        `${path}%00`,
        `${path}/..`,
        path.replace('v1', 'v2'),
        `/v1/%2e%2e${path}`,
        '/nothing',
        '/v1',
        '/v1/',
        '/v1/__proto__',
        '/*',
        '/v1/*',
        '/v1/:id',
        `${path};x=1`,
      ])
    }
    const other = pick(random, [this.lines, this.stops, this.parts.ids.networks])
    const raw = pick(random, [
      '',
      ' ',
      '%20',
      '%',
      '%zz',
      '%ff',
      '%c3%28',
      '%00',
      `${encoded}%00`,
      '..',
      '%2e%2e',
      '..%2f..%2fetc%2fpasswd',
      '%2F',
      'a/b',
      id.replaceAll('/', '%2F').replace(/[^!-~]|[%?#\\"<>`{}|^]/g, ''),
      '__proto__',
      'constructor',
      'nearby',
      ':id',
      '*',
      encodeURIComponent(encoded),
      encoded.toLowerCase(),
      encoded.toUpperCase(),
      `${encoded}x`,
      encodeURIComponent(id.slice(0, -1).toWellFormed()),
      `${encoded}/`,
      encodeURIComponent(pick(random, other)),
      encodeURIComponent(id.replace(/^\w+/, pick(random, ['nowhere', 'late', 'ville', 'odd', '__proto__']))),
      'late',
      encodeURIComponent(
        id.replace(/:(?:line|stop|area):/, pick(random, [':line:', ':stop:', ':area:', ':trip:', ':Line:'])),
      ),
      encodeURIComponent(id.replace(/^\w+/, (slug) => (slug === 'odd' ? 'ville' : 'odd'))),
      'late:stop:x',
      'late:line:x',
      'ville:stop:',
      'ville::x',
      '::',
      encodeURIComponent(nastyText(random)),
      'x'.repeat(5_000),
      `ville:stop:${'9'.repeat(3_000)}`,
      encodeURIComponent('🚋'.repeat(300)),
      encoded.normalize('NFD') === encoded
        ? encodeURIComponent(id.normalize('NFC'))
        : encodeURIComponent(id.normalize('NFD')),
    ])
    return route.path.replace(':id', () => raw)
  }

  /** Completes a request: adds headers and a method to a URL. */
  private dress(
    random: Random,
    { address, pairs }: { address: string; pairs: readonly Pair[] },
    plan: Plan,
  ): GeneratedRequest {
    const { keys, remembered } = this.parts
    const isHeaders = plan === 'headers' || (plan === 'wild' && random() < 0.2)
    const isBadKey = isHeaders && random() < 0.5
    const credential = isBadKey ? badCredential(random, keys) : goodCredential(random, keys)
    const accept = isHeaders && random() < 0.5 ? pick(random, ACCEPTS) : ACCEPTS[below(random, 8)]
    const tag = remembered.tags.get(address)
    const held =
      tag !== undefined && random() < 0.5
        ? pick(random, [tag, tag.slice(2), `"z", ${tag}`])
        : random() < 0.1
          ? pick(random, FOREIGN_TAGS)
          : undefined
    const given: Record<string, string | undefined> = {
      authorization: credential.value,
      accept: accept?.value,
      'if-none-match': held,
      ...(random() < 0.2 ? pick(random, IDLE_HEADERS) : {}),
    }
    const headers: Record<string, string> = {}
    for (const [name, value] of Object.entries(given)) if (value !== undefined) headers[name] = value
    const method = plan === 'method' && random() < 0.7 ? pick(random, METHODS) : 'GET'
    return {
      method,
      address,
      headers,
      pairs,
      credential: credential.fault,
      accept: accept?.fault ?? 'none',
      acceptOfEvents: accept?.ofEvents ?? accept?.fault ?? 'none',
    }
  }
}

function toAddress(path: string, pairs: readonly string[]): string {
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const left = [...items]
  return items.map(() => left.splice(below(random, left.length), 1)[0])
}

const number36 = (random: Random): string => below(random, 36 ** 5).toString(36)

/** A parameter's name, unchanged or with its first letter percent-encoded. The encoding must not make a difference. */
function encodeName(random: Random, name: string): string {
  return random() < 0.05 ? `%${name.charCodeAt(0).toString(16)}${name.slice(1)}` : name
}

/**
 * Damages a cursor: changes one character, cuts off the end, writes the cursor twice, or replaces one of its members.
 */
function damaged(random: Random, cursor: string): string {
  const content: Record<string, unknown> = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  const rewritten = (changes: Record<string, unknown>): string =>
    Buffer.from(JSON.stringify({ ...content, ...changes }), 'utf8').toString('base64url')
  const at = below(random, cursor.length)
  return pick(random, [
    () => cursor.slice(0, at) + pick(random, ['A', '_', '9']) + cursor.slice(at + 1),
    () => cursor.slice(0, Math.max(1, at)),
    () => cursor + cursor,
    () => rewritten({ key: [] }),
    () => rewritten({ key: [null, null] }),
    () => rewritten({ key: [1e308, 'x'] }),
    () => rewritten({ key: ['x'.repeat(900)] }),
    () => rewritten({ key: [{ __proto__: 1 }] }),
    () => rewritten({ id: '' }),
    () => rewritten({ id: 7 }),
    () => rewritten({ id: '__proto__' }),
    () => rewritten({ id: '\ud800', key: ['\udfff'] }),
    () => rewritten({ v: 2 }),
    () => rewritten({ route: 'x' }),
    () => rewritten({ filter: null }),
  ])()
}
