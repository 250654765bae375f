// Finds differences between a response of the account API and the API's document. Every response that a test's browser
// receives is checked.
import { Ajv2020 } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { accountRefusalsOf } from '../../../src/account-api/account-openapi.ts'
import type { AccountRoute } from '../../../src/account-api/account-route.ts'
import { ACCOUNT_ROUTE_LIST } from '../../../src/account-api/account-routes.ts'
import { accountDocument } from '../../api-documents.ts'

/** The account API's document. Its server URL is arbitrary, since only `servers` depends on it. */
export const ACCOUNT_DOCUMENT = await accountDocument()

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)
ajv.addSchema(ACCOUNT_DOCUMENT, 'document')

const SHAPES = ACCOUNT_ROUTE_LIST.map((route) => ({
  route,
  shape: new RegExp(`^${route.path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
}))

/**
 * All responses that were compared with the document, as `<operation> <status>` or, for errors, as `<operation>
 * <reason>`.
 */
export const heldAnswers = new Set<string>()

interface DocumentedCall {
  readonly method: string
  readonly path: string
  readonly answer: { readonly status: number; readonly headers: Headers; readonly body: Record<string, unknown> }
}

/** The differences between a response and the document; none if the route is not documented. */
export function undocumented({ method, path, answer }: DocumentedCall): string[] {
  const pathname = path.split('?')[0] ?? ''
  const route = SHAPES.find((each) => each.route.method === method.toLowerCase() && each.shape.test(pathname))?.route
  if (route === undefined) return []
  const { status, headers, body } = answer
  const type = (headers.get('content-type') ?? '').split(';')[0] ?? ''
  if (type !== 'application/problem+json') {
    heldAnswers.add(`${route.name} ${status}`)
    if (status !== route.status) return [`${route.name} returns ${status}, not ${route.status}`]
    if (headers.has('set-cookie') !== (route.setsCookie === true))
      return [`${route.name}: a cookie differs from the document`]
    if (route.answer === undefined) return type === '' ? [] : [`${route.name} returns ${type} instead of no body`]
    return type === route.otherType ? [] : schemaFaults(route, { status, type }, body)
  }
  const reason = String(body['reason'])
  heldAnswers.add(`${route.name} ${reason}`)
  if (!accountRefusalsOf(route).some((known) => known === reason)) return [`${route.name} rejects with ${reason}`]
  return schemaFaults(route, { status, type }, body)
}

function schemaFaults(
  route: AccountRoute,
  { status, type }: { status: number; type: string },
  body: unknown,
): string[] {
  const path = route.path.replace(/:(\w+)/g, '{$1}')
  const parts = ['paths', path, route.method, 'responses', `${status}`, 'content', type, 'schema']
  const pointer = parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
  const validate = ajv.getSchema(`document#/${pointer.join('/')}`)
  if (validate === undefined) return [`${route.name} documents no ${status} of ${type}`]
  if (validate(body)) return []
  return (validate.errors ?? []).map((error) => `${route.name}: ${error.instancePath} ${error.message}`)
}
