// Describes account API routes for OpenAPI. The description is in Elysia's `detail` hook, which is only read to build
// the document. There is no `body` hook, because it would run before the session check and return 422 instead of 401.
// The pipeline validates bodies with the same schemas.
import type { AccountRoute } from './account-route.ts'
import { isBody } from './bodies.schema.ts'

/** The hook of a route. account-openapi.ts adds the parts that all routes share: errors, headers and schema names. */
export function documented(route: AccountRoute) {
  const detail = {
    operationId: route.name,
    summary: route.summary,
    description: route.description,
    tags: [route.tag],
    get parameters() {
      return [...pathParameters(route), ...queryParameters(route)]
    },
    ...(isBody(route.body)
      ? { requestBody: { required: true, content: { 'application/json': { schema: route.body } } } }
      : {}),
    get responses() {
      return { [route.status]: answerOf(route), ...pendingOf(route) }
    },
    security: securityOf(route),
  }
  return { detail }
}

function pathParameters({ path }: AccountRoute) {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description:
      name === 'file'
        ? 'Month and format: `2026-10.json` or `2026-10.csv`.'
        : path.startsWith('/v1/passkeys')
          ? 'Id of a passkey.'
          : 'Id of a key.',
    schema:
      name === 'file'
        ? { type: 'string' as const, pattern: '^\\d{4}-\\d{2}\\.(json|csv)$' }
        : { type: 'string' as const },
  }))
}

function queryParameters({ query }: AccountRoute) {
  return Object.entries(query ?? {}).map(([name, { description, ...schema }]) => {
    return { name, in: 'query', required: false, description, schema }
  })
}

function answerOf({ answer, otherType }: AccountRoute) {
  if (answer === undefined) return { description: 'Success, without a body.' }
  const content = {
    'application/json': { schema: answer },
    ...(otherType === undefined ? {} : { [otherType]: { schema: { type: 'string' as const } } }),
  }
  return { description: 'Success.', content }
}

function pendingOf({ pending }: AccountRoute): Record<string, ReturnType<typeof answerOf>> {
  if (pending === undefined) return {}
  const content = { 'application/json': { schema: pending } }
  return { 202: { description: 'The change is stored, but some replicas have not applied it yet.', content } }
}

function securityOf({ access, method }: AccountRoute): Record<string, string[]>[] {
  if (access === 'open') return []
  if (access === 'either') return [{ key: [] }, { session: [] }]
  return [method === 'get' ? { session: [] } : { session: [], csrf: [] }]
}
