// What Elysia is told of a route of the account API besides its path and endpoint: its operation in the OpenAPI document,
// in the hook `detail`, which nothing reads at run time. A `body` hook would be checked before the session and answer 422
// where 401 is due: the pipeline checks bodies, by the same schemas.
import type { AccountRoute } from './account-routes.ts'
import { isBody } from './bodies.schema.ts'

/** The hook of a route. What all routes share (refusals, headers, names of schemas) is added in account-openapi.ts. */
export function documented(route: AccountRoute) {
  const detail = {
    operationId: route.name,
    summary: route.summary,
    description: `${route.summary}.`,
    tags: [route.tag],
    get parameters() {
      return [...pathParameters(route), ...queryParameters(route)]
    },
    ...(isBody(route.body)
      ? { requestBody: { required: true, content: { 'application/json': { schema: route.body } } } }
      : {}),
    get responses() {
      return { [route.status]: answerOf(route) }
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
    description: name === 'file' ? 'A month and its form: `2026-10.json` or `2026-10.csv`.' : 'Id of a key.',
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
  if (answer === undefined) return { description: 'Done.' }
  const content = {
    'application/json': { schema: answer },
    ...(otherType === undefined ? {} : { [otherType]: { schema: { type: 'string' as const } } }),
  }
  return { description: 'The answer.', content }
}

function securityOf({ access, method }: AccountRoute): Record<string, string[]>[] {
  if (access === 'open') return []
  if (access === 'either') return [{ key: [] }, { session: [] }]
  return [method === 'get' ? { session: [] } : { session: [], csrf: [] }]
}
