// Tests the gate that prevents breaking changes to the APIs. Both OpenAPI documents must keep their stored contracts,
// and the gate must accept only additions and changed descriptions. After an addition, `bun run contracts` stores the
// new contract.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { apiDocuments } from './api-documents.ts'
import { breakingChanges, contractOf } from './contract-gate.ts'

for (const { golden, document } of await apiDocuments()) {
  test(`the document keeps every promise of ${golden}`, async () => {
    expect(breakingChanges(await Bun.file(join(import.meta.dir, 'golden', golden)).json(), document)).toEqual([])
  })

  test(`${golden} contains every addition; if not: bun run contracts`, async () => {
    expect(contractOf(document)).toEqual(await Bun.file(join(import.meta.dir, 'golden', golden)).json())
  })
}

/** A small document with one element of each kind; each test case changes one element. */
const sample = () => ({
  openapi: '3.1.0',
  info: { title: 'Quai', version: '0.1.0', description: 'Timetables.' },
  tags: [{ name: 'Stops', description: 'Stops.' }],
  paths: {
    '/v1/stops': {
      get: {
        operationId: 'listStops',
        summary: 'The stops',
        tags: ['Stops'],
        parameters: [{ name: 'limit', in: 'query', required: false, schema: { type: 'integer', maximum: 50 } }],
        responses: {
          200: {
            description: 'The answer.',
            content: { 'application/json': { schema: { $ref: '#/Stop' }, example: 1 } },
          },
          400: {
            description: '`bad`: wrong.',
            content: {
              'application/problem+json': {
                examples: { bad: { value: { reason: 'bad', title: 'Bad', detail: 'Wrong.', code: 'T-1' } } },
              },
            },
          },
        },
        security: [{ key: [] }],
      },
      post: {
        operationId: 'createStop',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
            },
          },
        },
        responses: { 204: { description: 'Done.' } },
      },
    },
  },
  components: {
    schemas: {
      Stop: {
        type: 'object',
        required: ['id', 'kind'],
        properties: {
          id: { type: 'string', description: 'An id.', examples: ['a:stop:1'] },
          kind: { type: 'string', enum: ['stop', 'area'] },
          description: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
      },
    },
  },
})

type Sample = ReturnType<typeof sample>

/** The faults that the gate reports if `change` is applied to the sample. */
function faultsOf(change: (document: Sample) => void): string[] {
  const changed = sample()
  change(changed)
  return breakingChanges(sample(), changed)
}

const listOf = (document: Sample) => document.paths['/v1/stops'].get
const bodyOf = (document: Sample) => document.paths['/v1/stops'].post.requestBody.content['application/json'].schema
const stopOf = (document: Sample) => document.components.schemas.Stop

describe('the gate accepts', () => {
  const additions: Readonly<Record<string, (document: Sample) => void>> = {
    'new descriptions': (document) => {
      document.info.description = 'Public transport.'
      listOf(document).summary = 'List stops'
      listOf(document).responses[400].description = 'Bad.'
      listOf(document).responses[400].content['application/problem+json'].examples.bad.value.detail = 'No.'
      stopOf(document).properties.id.description = 'The id.'
    },
    'another release': (document) => {
      document.info.version = '0.2.0'
    },
    'a route': (document) => Object.assign(document.paths, { '/v1/lines': { get: { operationId: 'listLines' } } }),
    'a method': (document) => Object.assign(document.paths['/v1/stops'], { delete: { operationId: 'deleteStops' } }),
    'a response member': (document) => {
      Object.assign(stopOf(document).properties, { town: { type: 'string' } })
      stopOf(document).required.push('town')
    },
    'a component': (document) => Object.assign(document.components.schemas, { Line: { type: 'object' } }),
    'an optional parameter': (document) =>
      listOf(document).parameters.push({
        name: 'lines',
        in: 'query',
        required: false,
        schema: { type: 'integer', maximum: 9 },
      }),
    'an enum value': (document) => stopOf(document).properties.kind.enum.push('platform'),
    'a status': (document) => Object.assign(listOf(document).responses, { 429: { description: 'Slower.' } }),
    'a reason': (document) =>
      Object.assign(listOf(document).responses[400].content['application/problem+json'].examples, {
        worse: { value: { reason: 'worse' } },
      }),
    'an optional body member': (document) => Object.assign(bodyOf(document).properties, { town: { type: 'string' } }),
    'a deprecation mark': (document) => Object.assign(listOf(document), { deprecated: true }),
  }
  for (const [name, change] of Object.entries(additions)) test(name, () => expect(faultsOf(change)).toEqual([]))
})

describe('the gate rejects', () => {
  const breaks: readonly (readonly [name: string, place: string, change: (document: Sample) => unknown])[] = [
    ['another operation id', '/get/operationId is', (document) => (listOf(document).operationId = 'getStops')],
    [
      'a removed route',
      '/paths/~1v1~1stops is gone',
      (document) => Reflect.deleteProperty(document.paths, '/v1/stops'),
    ],
    ['a removed method', '/post is gone', (document) => Reflect.deleteProperty(document.paths['/v1/stops'], 'post')],
    [
      'a removed component',
      '/schemas/Stop is gone',
      (document) => Reflect.deleteProperty(document.components.schemas, 'Stop'),
    ],
    [
      'a removed member',
      '/properties/id is gone',
      (document) => Reflect.deleteProperty(stopOf(document).properties, 'id'),
    ],
    [
      'a removed member named description',
      '/properties/description is gone',
      (document) => Reflect.deleteProperty(stopOf(document).properties, 'description'),
    ],
    ['another type', '/id/type is', (document) => (stopOf(document).properties.id.type = 'integer')],
    [
      'a value of another kind',
      '/description/anyOf has',
      (document) => stopOf(document).properties.description.anyOf.push({ type: 'integer' }),
    ],
    [
      'a member that may be missing',
      '/Stop/required no longer has kind',
      (document) => stopOf(document).required.pop(),
    ],
    [
      'an optional member that has become required',
      '/Stop/required has description',
      (document) => stopOf(document).required.push('description'),
    ],
    ['a removed enum value', '/enum no longer has area', (document) => stopOf(document).properties.kind.enum.pop()],
    [
      'another bound',
      '/schema/maximum is 20',
      (document) => Object.assign(listOf(document).parameters[0]?.schema ?? {}, { maximum: 20 }),
    ],
    [
      'a new bound',
      '/schema/minimum is new',
      (document) => Object.assign(listOf(document).parameters[0]?.schema ?? {}, { minimum: 1 }),
    ],
    ['a removed parameter', '/parameters/query limit is gone', (document) => listOf(document).parameters.pop()],
    [
      'a new required parameter',
      '/parameters/query near is new',
      (document) =>
        listOf(document).parameters.push({
          name: 'near',
          in: 'query',
          required: true,
          schema: { type: 'integer', maximum: 1 },
        }),
    ],
    [
      'a parameter that has become required',
      '/required is true',
      (document) => Object.assign(listOf(document).parameters[0] ?? {}, { required: true }),
    ],
    [
      'a removed status',
      '/responses/400 is gone',
      (document) => Reflect.deleteProperty(listOf(document).responses, '400'),
    ],
    [
      'a removed reason',
      '/examples/bad is gone',
      (document) =>
        Reflect.deleteProperty(listOf(document).responses[400].content['application/problem+json'].examples, 'bad'),
    ],
    [
      'another code',
      '/value/code is "T-2"',
      (document) =>
        (listOf(document).responses[400].content['application/problem+json'].examples.bad.value.code = 'T-2'),
    ],
    ['a new required body member', '/schema/required has town', (document) => bodyOf(document).required.push('town')],
    ['a new body', '/requestBody is new', (document) => Object.assign(listOf(document), { requestBody: {} })],
    ['another way to log in', '/security has 2 entries', (document) => listOf(document).security.push({ key: [] })],
  ]
  for (const [name, place, change] of breaks) {
    test(name, () => {
      const faults = faultsOf(change)
      expect(faults).toHaveLength(1)
      expect(faults[0]).toContain(place)
    })
  }
})
