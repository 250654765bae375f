// Tests the OpenAPI document: two linters must accept it, it must describe exactly the routes in the route table, its
// examples must be the service's responses, and every kind of response must comply with its schema.
import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { Elysia } from 'elysia'
import { refusalsOf } from '../../../src/contract/route-refusals.ts'
import { ROUTE_LIST } from '../../../src/contract/routes.ts'
import { PAGE_PATHS } from '../../../src/docs/docs.ts'
import { PROBLEMS } from '../../../src/http/problem.ts'
import { dataDocument, dataRoutes, withoutAnswer } from '../../api-documents.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { redoclyFindings, spectralFindings } from '../../openapi-linters.ts'
import { slowTest } from '../../slow-test.ts'
import { openApi } from '../api/api-under-test.ts'
import { exampleAnswers } from '../api/example-answers.ts'

const document = await dataDocument()
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)
ajv.addSchema(document, 'document')

const ROOT = join(import.meta.dir, '../../..')

/** The hooks with which Elysia validates requests and responses. */
const VALIDATING = ['body', 'cookie', 'headers', 'params', 'query', 'response']

/** The document's operation for a route. */
const operationOf = (path: string) => document.paths[path.replace(/:(\w+)/g, '{$1}')]?.get

/** The places where a body violates the document's schema for this response. */
function faultsOf(path: string, answer: { status: number; body: unknown; type: string }): string[] {
  const event = ROUTE_LIST.find((route) => route.path === path)?.event
  const member = answer.type === 'text/event-stream' ? `x-events/${event}` : 'schema'
  const content = operationOf(path)?.responses[answer.status]?.content?.[answer.type]
  const schema = event === undefined || member === 'schema' ? content?.schema : content?.['x-events']?.[event]
  if (schema === undefined) return [`${path} documents no ${answer.status} of ${answer.type}`]
  const place = `document#/paths/${path
    .replace(/:(\w+)/g, '{$1}')
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')}`
  const pointer = `${place}/get/responses/${answer.status}/content/${answer.type.replaceAll('/', '~1')}/${member}`
  const validate = ajv.getSchema(pointer)
  if (validate === undefined) return [`no schema at ${pointer}`]
  return validate(answer.body) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
}

/** An operation's summary: an imperative of two to four words. */
const TITLE = /^(Check|Explain|Find|Get|List|Plan|Search|Stream)( [a-z]+){1,3}$/

describe('the document', () => {
  test('has imperative titles of two to four words, and a description beyond each', () => {
    for (const { summary, description } of ROUTE_LIST) {
      expect(summary).toMatch(TITLE)
      expect(description).toMatch(/^[A-Z].*\.$/)
    }
  })

  slowTest(
    'passes Redocly without findings',
    async () => {
      expect(await redoclyFindings(document)).toEqual({ errors: 0, warnings: 0, ignored: 0 })
    },
    60_000,
  )

  slowTest(
    'passes Spectral without findings',
    async () => {
      expect(await spectralFindings(document)).toEqual([])
    },
    60_000,
  )

  test('has exactly the routes of the table', () => {
    expect(Object.keys(document.paths).sort()).toEqual(
      ROUTE_LIST.map((route) => route.path.replace(/:(\w+)/g, '{$1}')).sort(),
    )
    for (const route of ROUTE_LIST) {
      const operation = operationOf(route.path)
      expect(operation.operationId).toBe(route.name)
      expect(operation['x-units']).toBe(route.cost)
      const inQuery = operation.parameters.filter((parameter: { in: string }) => parameter.in === 'query')
      expect(inQuery.map((parameter: { name: string }) => parameter.name)).toEqual(
        Object.entries(route.parameters)
          .filter(([, rule]) => rule.kind !== 'refused')
          .map(([name]) => name),
      )
      const statuses = new Set(refusalsOf(route).map((reason) => String(PROBLEMS[reason].status)))
      expect(
        Object.keys(operation.responses)
          .filter((status) => Number(status) >= 400)
          .sort(),
      ).toEqual([...statuses].sort())
      expect(operation.security).toEqual(route.access === 'public' ? [] : undefined)
    }
  })

  test('describes the responses of every route', async () => {
    expect(withoutAnswer(document)).toEqual([])
    const undescribed = new Elysia()
      .get('/v1/boats', () => '')
      .get('/v1/boats/:boat_id', () => '', {
        detail: { operationId: 'getBoat', responses: { 200: { description: '' } } },
      })
    expect(withoutAnswer(await dataDocument([...(await dataRoutes()), ...undescribed.routes]))).toEqual([
      'GET /v1/boats',
      'GET /v1/boats/{boat_id}',
    ])
  })

  test('is the only use of its schemas: no route is validated by Elysia, and no member is made before it is requested', async () => {
    const routes = (await dataRoutes()).filter(({ path }) => ROUTE_LIST.some((route) => route.path === path))
    expect(routes).toHaveLength(ROUTE_LIST.length)
    for (const { hooks } of routes) {
      expect(Object.keys(hooks).filter((name) => VALIDATING.includes(name) && hooks[name] !== undefined)).toEqual([])
      const { detail } = hooks
      for (const name of ['description', 'parameters', 'responses']) {
        expect(Object.getOwnPropertyDescriptor(detail, name)?.get).toBeFunction()
      }
    }
  })

  test('is served by the app it describes', async () => {
    const { call } = await openApi()
    const { body: served } = await call('GET', '/openapi.json')
    expect(Object.keys(served.paths)).toEqual(Object.keys(document.paths))
    expect(served.components).toEqual(document.components)
    expect((await call('GET', '/collected/page')).status).toBe(401)
  })

  test('has ids of a served network as examples, each of which is answered', async () => {
    const { call, get } = await openApi()
    const { body: served } = await call('GET', '/openapi.json')
    const tried: string[] = []
    for (const { path, event } of ROUTE_LIST.filter((route) => route.path.includes(':'))) {
      const { parameters, 'x-codeSamples': samples } = served.paths[path.replace(/:(\w+)/g, '{$1}')].get
      const { name, example } = parameters.find((each: { in: string }) => each.in === 'path')
      const others = parameters.filter((each: { in: string; example?: string }) => each.in === 'query' && each.example)
      expect([path, samples[0].source.includes(`${name}: '${example}'`)]).toEqual([path, true])
      const query = others.map((each: { name: string; example: string }) => `&${each.name}=${each.example}`).join('')
      if (event !== undefined) continue
      const { status } = await get(path.replace(/:\w+/, encodeURIComponent(example)) + query.replace('&', '?'))
      tried.push(`${status} ${path}`)
    }
    expect(tried.length).toBeGreaterThan(8)
    // The vehicle route returns 404, since this network has no vehicles.
    expect(tried.filter((line) => !line.startsWith('200 '))).toEqual(['404 /v1/lines/:line_id/vehicles'])
  })

  test('has an example for each required query parameter, and they are answered', async () => {
    const { call, get } = await openApi()
    const { body: served } = await call('GET', '/openapi.json')
    const tried: string[] = []
    for (const { path, parameters } of ROUTE_LIST.filter((route) => !route.path.includes(':'))) {
      const names = Object.keys(parameters).filter((name) => parameters[name]?.isRequired === true)
      if (names.length === 0) continue
      const documented: { name: string; example: string | string[] }[] = served.paths[path].get.parameters
      const query = names.map((name) => {
        const { example = '' } = documented.find((each) => each.name === name) ?? {}
        expect([path, name, example]).not.toEqual([path, name, ''])
        return `${name}=${encodeURIComponent([example].flat().join(','))}`
      })
      const { status } = await get(`${path}?${query.join('&')}`)
      tried.push(`${status} ${path}`)
    }
    expect(tried.length).toBeGreaterThan(5)
    expect(tried.filter((line) => !line.startsWith('200 '))).toEqual([])
  })

  test('does not slow the start: its code is loaded on request', async () => {
    const loaded = async (...files: readonly string[]) => {
      const imports = files.map((file) => `await import(${JSON.stringify(join(ROOT, file))});`).join('')
      const program = `${imports} console.log(JSON.stringify(Object.keys(require.cache)))`
      const run = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' })
      const paths: string[] = JSON.parse(await new Response(run.stdout).text())
      return paths.filter((path) => /swagger|openapi/.test(path)).length
    }
    expect(await loaded('src/server/server.ts', 'src/account-api/server.ts')).toBe(0)
    expect(await loaded('src/docs/openapi.ts')).toBeGreaterThan(0)
  })

  test('has the bounds of the interface', () => {
    const schemaOf = (path: string, name: string) =>
      operationOf(path).parameters.find((parameter: { name: string }) => parameter.name === name).schema
    const board = '/v1/stops/:stop_id/departures'
    expect(schemaOf(board, 'limit')).toEqual({ type: 'integer', minimum: 1, maximum: 50, default: 10 })
    expect(schemaOf(board, 'horizon')).toEqual({ type: 'integer', minimum: 5, maximum: 180, default: 60 })
    expect(schemaOf('/v1/stops/nearby', 'radius')).toEqual({
      type: 'integer',
      minimum: 50,
      maximum: 5000,
      default: 500,
    })
    expect(schemaOf('/v1/departures/nearby', 'radius').maximum).toBe(1500)
    expect(schemaOf('/v1/networks/:network/stops', 'q')).toEqual({ type: 'string', minLength: 1, maxLength: 120 })
  })

  test('shows real responses; if not: bun run contracts', async () => {
    const answers = await exampleAnswers()
    for (const route of ROUTE_LIST) {
      const { content } = operationOf(route.path).responses[200]
      if (route.event === undefined) expect(content['application/json'].example).toEqual(answers[route.name])
      else {
        const polled = ROUTE_LIST.find(({ path }) => path === route.path.replace(/\/stream$/, ''))
        expect(content['text/event-stream'].example).toEqual(answers[polled?.name ?? ''])
      }
    }
  })

  test('has only references that resolve, and nothing outside OpenAPI 3.1', () => {
    const text = JSON.stringify(document)
    for (const [, name = ''] of text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)) {
      expect(Object.keys(document.components.schemas)).toContain(name)
    }
    expect(text).not.toContain('"nullable"')
  })
})

describe('responses match it', () => {
  let api: Awaited<ReturnType<typeof openApi>>
  beforeAll(async () => {
    api = await openApi({ networks: [{ id: 'ville', feed: smallFeed() }, { id: 'late' }] })
  })

  const ids: Readonly<Record<string, readonly string[]>> = {
    network: ['ville', 'late', 'nowhere'],
    line_id: ['ville:line:A', 'ville:line:7', 'ville:line:x', 'late:line:A'],
    stop_id: ['ville:stop:CA', 'ville:area:S', 'ville:stop:P', 'ville:stop:x', 'late:stop:x'],
  }
  const queries = [
    '',
    '?limit=1',
    '?limit=0',
    '?near=48.58,7.75',
    '?near=x',
    '?networks=ville&near=48.58,7.75&limit=2',
    '?networks=ville',
    '?q=centre',
    '?when=2031-01-01T00:00:00Z',
    '?include=geometry',
    '?networks=nowhere&near=48,7',
    '?from=ville:stop:G&to=48.5895,7.7605',
    '?from=ville:stop:G&to=stade&arrive_by=2026-06-10T08:00:00Z',
    '?from=ville:stop:G&to=ville:stop:G',
    '?from=ville:stop:G&to=ville:stop:P&planner=native',
    '?from=ville:stop:G&to=ville:stop:P&network=late',
    '?from=x&to=ville:stop:P&network=nowhere',
  ]

  for (const route of ROUTE_LIST) {
    test(route.name, async () => {
      const parameter = /:(\w+)/.exec(route.path)?.[1]
      const faults: string[] = []
      for (const id of parameter === undefined ? [''] : (ids[parameter] ?? [])) {
        for (const query of queries) {
          const address = route.path.replace(/:\w+/, encodeURIComponent(id)) + query
          for (const answer of [
            await api.get(address),
            await api.call('GET', address, { authorization: 'Bearer unverified' }),
          ]) {
            const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? ''
            faults.push(
              ...faultsOf(route.path, { status: answer.status, body: answer.body, type }).map(
                (fault) => `${address}: ${fault}`,
              ),
            )
          }
        }
      }
      expect(faults).toEqual([])
    })
  }
})

describe('the pages', () => {
  test('are public, and load nothing from other origins', async () => {
    const { app } = await openApi()
    for (const path of PAGE_PATHS) {
      const answer = await app.handle(new Request(`http://localhost${path}`))
      expect(answer.status).toBe(200)
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      if (answer.headers.get('content-type') !== 'text/html; charset=utf-8') continue
      const text = await answer.text()
      const policy = path === '/docs' ? "default-src 'self'; " : "default-src 'none'; style-src 'sha256-"
      expect(answer.headers.get('content-security-policy')).toStartWith(policy)
      expect(text).not.toMatch(/src="(?!\/)/)
      expect(text).not.toMatch(/<link[^>]* href="(?!data:,")/)
    }
  })

  test('explain every reason at the address that errors link to', async () => {
    const { app, call } = await openApi()
    const { body } = await call('GET', '/v1/networks')
    expect(body.type).toBe('http://api.test/docs/errors#authentication_required')
    const page = await (await app.handle(new Request('http://localhost/docs/errors'))).text()
    for (const reason of Object.keys(PROBLEMS)) expect(page).toContain(`id="${reason}"`)
  })
})
