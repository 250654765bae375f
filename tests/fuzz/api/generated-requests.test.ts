// Requests made from the interface's tables, asked of the whole API over the demo city: a good value is never refused, a
// bad one never accepted, every answer fits the document's schema, nothing fails, and the units told are those counted.
import { beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { openApiDocument } from '../../../src/api/openapi.ts'
import { makeCity, writeCity } from '../../../src/demo/city.ts'
import { openFeedSource } from '../../../src/feed-source.ts'
import { bySize, SEED } from '../../size.ts'
import { KEY, openApi } from '../../src/api/api-under-test.ts'
import { MALFORMED_VALUES, valuesOf } from './generated-values.ts'
import { judge, type Kind, type KnownIds, ROUTES, type Verdict } from './value-oracle.ts'

const RUNS = bySize({ quick: 1_500, ci: 6_000, full: 100_000 })
const CITY = { seed: 7, scale: 0.05, firstDate: 20260608, days: 7 }
/** What must never be read in an answer: paths of the machine, lines of a stack. */
const INTERNAL = /\/(?:work|home|root|tmp|usr)\/|node_modules|\.ts:\d|\bat [A-Za-z.]+ \(/
const PROBLEM_MEMBERS = ['type', 'title', 'status', 'detail', 'instance', 'reason', 'code', 'request_id']

let api: Awaited<ReturnType<typeof openApi>>
let known: KnownIds
/** Ids for the paths, and what asking with them must give. */
let pathIds: Readonly<Record<string, readonly (readonly [id: string, status: number])[]>>
/** Cursors that were given, by the path they were given on. */
const cursors = new Map<string, string>()

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quai-fuzz-'))
  await writeCity(makeCity(CITY), folder)
  const source = await openFeedSource(folder)
  api = await openApi({ networks: [{ id: 'city', feed: source }, { id: 'late' }] })
  await source.close()
  rmSync(folder, { recursive: true })
  const list = async (path: string): Promise<{ id: string }[]> => (await api.get(path)).body.data
  const lines = await list('/v1/networks/city/lines?limit=50')
  const stops = await list('/v1/networks/city/stops?limit=60')
  for (const what of ['lines', 'stops']) {
    const { body } = await api.get(`/v1/networks/city/${what}?limit=1`)
    cursors.set(`/v1/networks/{network}/${what}`, body.meta.next_cursor)
  }
  known = { networks: new Set(['city', 'late']), lines: new Set(lines.map(({ id }) => id)) }
  const strange = [
    '',
    '%00',
    '%',
    '%ff',
    'a'.repeat(3000),
    '..',
    '__proto__',
    ':',
    '::',
    'city',
    'city:',
    '%F0%9F%9A%8B',
  ]
  const unknownIds = strange.filter((id) => id !== '' && id !== '..' && id !== 'city').map((id) => [id, 404] as const)
  pathIds = {
    network: [['city', 200], ['late', 503], ['nowhere', 404], ...unknownIds],
    line: [...lines.map(({ id }) => [id, 200] as const), ['city:line:nope', 404], ['late:line:A', 503], ...unknownIds],
    stop: [...stops.map(({ id }) => [encodeURIComponent(id), 200] as const), ['city:stop:nope', 404], ...unknownIds],
  }
})

const document = JSON.parse(JSON.stringify(openApiDocument('http://api.test')))
const ajv = new Ajv2020({ strict: false, allErrors: false })
addFormats(ajv)
ajv.addSchema(document, 'document')
const validators = new Map<string, ValidateFunction | undefined>()

function validatorOf(path: string, status: number, type: string): ValidateFunction | undefined {
  const documented = Object.keys(document.paths).find(
    (each) => each.replace(/\{[a-z_]+\}/, '{}') === path.replace(/\{[a-z_]+\}/, '{}'),
  )
  const key = `${documented} ${status} ${type}`
  if (!validators.has(key)) {
    const escaped = (documented ?? '').replaceAll('~', '~0').replaceAll('/', '~1')
    const media = type.replaceAll('/', '~1')
    const hasSchema = document.paths[documented ?? '']?.get?.responses?.[status]?.content?.[type]?.schema !== undefined
    const pointer = `document#/paths/${escaped}/get/responses/${status}/content/${media}/schema`
    validators.set(key, hasSchema ? ajv.getSchema(pointer) : undefined)
  }
  return validators.get(key)
}

/** One parameter as it is asked: its verdict, and what stands in the query. */
interface Given {
  readonly name: string
  readonly verdict: Verdict
  readonly pairs: readonly string[]
}

function givenOf(path: string, name: string, kind: Kind): fc.Arbitrary<Given> {
  const encoded = valuesOf(kind, known).map((value): Given => {
    const text = value.isWellFormed() ? value : value.toWellFormed()
    return { name, verdict: judge(kind, text, known), pairs: [`${name}=${encodeURIComponent(text)}`] }
  })
  const malformed = fc
    .constantFrom(...MALFORMED_VALUES)
    .map((value): Given => ({ name, verdict: 'bad', pairs: [`${name}=${value}`] }))
  const doubled = valuesOf(kind, known).map((value): Given => {
    const pair = `${name}=${encodeURIComponent(value.toWellFormed())}`
    return { name, verdict: 'bad', pairs: [pair, pair] }
  })
  const cursor = cursors.get(path)
  const own: fc.Arbitrary<Given>[] =
    kind.kind === 'cursor' && cursor !== undefined
      ? [
          fc
            .constantFrom(cursor.slice(0, -3), `${cursor}x`)
            .map((text): Given => ({ name, verdict: 'bad', pairs: [`${name}=${text}`] })),
        ]
      : []
  return fc.oneof(
    { weight: 12, arbitrary: encoded },
    { weight: 1, arbitrary: malformed },
    { weight: 1, arbitrary: doubled },
    ...own,
  )
}

const NOISE = [
  'lang=',
  'lang=fr',
  'x=%zz',
  '__proto__=1',
  'constructor=1&toString=2',
  'a[]=1',
  '&&',
  '=',
  '%',
  'hasOwnProperty=x',
]

/** One request, and what must come of it. */
interface Question {
  readonly path: string
  readonly address: string
  readonly idStatus: number
  readonly given: readonly Given[]
  readonly lacksNeeded: boolean
}

function questions(): fc.Arbitrary<Question> {
  return fc.constantFrom(...ROUTES).chain(({ path, takes, needs }) => {
    const placeholder = /\{(\w+)\}/.exec(path)?.[1]
    const ids = placeholder === undefined ? ([['', 200]] as const) : (pathIds[placeholder] ?? [])
    const names = Object.keys(takes)
    return fc
      .tuple(
        fc.constantFrom(...ids),
        fc.subarray(names),
        fc.array(fc.constantFrom(...NOISE), { maxLength: 2 }),
        fc.boolean(),
      )
      .chain(([[id, idStatus], chosen, noise, isForced]) => {
        const asked = needs !== undefined && isForced && !chosen.includes(needs) ? [needs, ...chosen] : chosen
        const givens = asked.map((name) => givenOf(path, name, takes[name] as Kind))
        return fc.tuple(...givens).map((given): Question => {
          const query = [...given.flatMap(({ pairs }) => pairs), ...noise].join('&')
          const address = `${path.replace(/\{\w+\}/, id)}${query === '' ? '' : `?${query}`}`
          return { path, address, idStatus, given, lacksNeeded: needs !== undefined && !asked.includes(needs) }
        })
      })
  })
}

/** The statuses a question may have; a good one has its own, a bad one is refused for whatever is found first. */
function statusesOf({ path, idStatus, given, lacksNeeded, address }: Question): readonly number[] {
  if (address.length > 4096) return [414]
  const bad = given.filter(({ verdict }) => verdict === 'bad')
  const isUnknown = given.some(({ verdict }) => verdict === 'unknown')
  const asksLate = given.some(({ name, pairs }) => name === 'networks' && pairs.some((pair) => pair.includes('late')))
  if (lacksNeeded || bad.length > 0) {
    // What names something is looked for once everything is well-formed, networks first; cursors come last.
    const isWellFormed =
      !lacksNeeded &&
      bad.every(
        ({ name, pairs }) =>
          /^(?:line=[^&]*%3Aline%3A[^&]*|cursor=[A-Za-z0-9_-]+)$/.test(pairs.join('&')) && name !== '',
      )
    const before = isWellFormed ? [...(isUnknown ? [404] : []), ...(asksLate ? [503] : [])] : []
    return [400, ...(idStatus === 200 ? [] : [idStatus]), ...before]
  }
  const possible = [
    idStatus,
    ...(isUnknown ? [404] : []),
    ...(asksLate ? [503] : []),
    ...(path.includes('vehicles') ? [404] : []),
  ]
  return idStatus === 200 && (isUnknown || asksLate || path.includes('vehicles')) ? possible.slice(1) : possible
}

test(`${RUNS} requests, seed ${SEED}`, async () => {
  let told = 0
  const unitsBefore = api.gate.units
  const seen: Record<number, number> = {}
  await fc.assert(
    fc.asyncProperty(questions(), async (question) => {
      const answer = await api.get(question.address)
      seen[answer.status] = (seen[answer.status] ?? 0) + 1
      const allowed = statusesOf(question)
      const body = answer.body
      if (!allowed.includes(answer.status))
        throw new Error(`${answer.status} instead of ${allowed}: ${answer.text.slice(0, 600)}`)
      const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? ''
      const validate = validatorOf(question.path, answer.status, type)
      if (validate === undefined) throw new Error(`no schema for ${question.path} ${answer.status} ${type}`)
      if (!validate(answer.body))
        throw new Error(
          `${validate.errors?.[0]?.instancePath} ${validate.errors?.[0]?.message}: ${answer.text.slice(0, 600)}`,
        )
      if (INTERNAL.test(answer.text)) throw new Error(`internal text: ${answer.text}`)
      if (answer.status < 400) told += body.meta.units
      else checkProblem(body, question)
    }),
    { numRuns: RUNS, seed: SEED, endOnFailure: true },
  )
  console.log(`statuses ${JSON.stringify(seen)}, ${told} units`)
  expect(api.gate.units - unitsBefore).toBe(told)
  expect(api.logged).toEqual([])
  for (const status of [200, 400, 404, 503]) expect(seen[status] ?? 0).toBeGreaterThan(RUNS / 100)
}, 600_000)

function checkProblem(body: Readonly<Record<string, unknown>>, { given, lacksNeeded }: Question): void {
  for (const member of PROBLEM_MEMBERS) if (body[member] === undefined) throw new Error(`no ${member} in a problem`)
  if (body['status'] !== 400) return
  const culprits = given.filter(({ verdict }) => verdict === 'bad').map(({ name }) => name)
  const named = body['param']
  if (!lacksNeeded && !culprits.includes(String(named))) throw new Error(`blames ${named}, not one of ${culprits}`)
  const isPlace = ['near', 'bbox'].includes(String(named)) && given.some(({ name }) => name === named)
  const reason = isPlace ? 'invalid_location' : 'transit_query_invalid'
  if (body['reason'] !== reason) throw new Error(`reason ${body['reason']} for ${named}`)
}

test('credentials of every kind but the right one are refused, whatever they hold', async () => {
  const credentials = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc.constantFrom(
      '',
      'Bearer',
      'Bearer ',
      'bearer good ',
      'Basic Z29vZA==',
      `${KEY},${KEY}`,
      'Bearer good\tx',
      'Bearer __proto__',
      `Bearer ${'x'.repeat(5000)}`,
    ),
  )
  await fc.assert(
    fc.asyncProperty(credentials, fc.constantFrom(...ROUTES), async (credential, { path }) => {
      if (credential.trim().toLowerCase() === KEY.toLowerCase()) return
      const headers: Record<string, string> = {}
      try {
        new Headers({ authorization: credential })
        headers['authorization'] = credential
      } catch {
        return // no client can send it
      }
      const answer = await api.call('GET', path.replace(/\{\w+\}/, 'city'), headers)
      const isPublic = path === '/v1/health' || path === '/v1/status'
      expect(answer.status).toBe(isPublic ? 200 : 401)
    }),
    { numRuns: bySize({ quick: 300, ci: 1_000, full: 5_000 }), seed: SEED },
  )
}, 60_000)
