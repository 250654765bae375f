// The account API as one Elysia chain: all controllers, then the fallback for unknown routes. It listens on its own
// port, on the control thread.
import { Elysia } from 'elysia'
import type { ServedRoute } from '../docs/collected-document.ts'
import { Problem } from '../http/problem.ts'
import { requestIdOf } from '../http/request-head.ts'
import type { AccountApi } from './account-api.ts'
import { accountDocumentApi } from './account-document.ts'
import { refuse } from './account-endpoint.ts'
import { billingApi } from './billing.ts'
import { consoleApi } from './console-pages.ts'
import { deletionApi } from './deletion.ts'
import { emailChangeApi } from './email-change.ts'
import { eventsApi } from './events.ts'
import { factorApi } from './factor.ts'
import { keysApi } from './keys.ts'
import { meApi } from './me.ts'
import { passkeyApi, passkeyLogInApi } from './passkey.ts'
import { passwordsApi } from './passwords.ts'
import { secureHeaders } from './secure-headers.ts'
import { sessionListApi } from './session-list.ts'
import { sessionsApi } from './sessions.ts'
import { signUpApi } from './sign-up.ts'
import { statementsApi } from './statements.ts'
import { unknownAccountRequests } from './unknown-account-requests.ts'
import { accountUsageApi } from './usage.ts'

/** The account API, ready to listen. */
export function createAccountServer(api: AccountApi) {
  const secure = secureHeaders(api.addresses)
  const served: ServedRoute[] = []
  const app = new Elysia({ name: 'quai.account', strictPath: true })
    .onAfterHandle(({ response }) => {
      if (response instanceof Response) secure(response)
    })
    .onError(({ error, code, request }) => secure(reportBug(api, { error, code, request })))
    .use(signUpApi(api))
    .use(sessionsApi(api))
    .use(sessionListApi(api))
    .use(passwordsApi(api))
    .use(factorApi(api))
    .use(passkeyApi(api))
    .use(passkeyLogInApi(api))
    .use(emailChangeApi(api))
    .use(deletionApi(api))
    .use(meApi(api))
    .use(keysApi(api))
    .use(accountUsageApi(api))
    .use(billingApi(api))
    .use(statementsApi(api))
    .use(eventsApi(api))
    .use(accountDocumentApi(api, served))
    .use(consoleApi(api))
    .use(unknownAccountRequests(api, served))
  served.push(...app.routes)
  return app
}

/** An uncaught error is a bug in the service: log it with the request id, and answer with that id only. */
function reportBug(api: AccountApi, bug: { error: unknown; code: string | number; request: Request }): Response {
  const requestId = requestIdOf(bug.request.headers)
  const path = URL.parse(bug.request.url, api.addresses.accountUrl)?.pathname
  api.logger.error({ request_id: requestId, path, code: bug.code, error: bug.error }, 'request failed')
  return refuse(api, bug.request, new Problem('internal_error'), { 'X-Request-Id': requestId })
}
