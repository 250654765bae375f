// Statements of closed months: the list, and each document in JSON or CSV, as stored when the month was closed.
import { Elysia } from 'elysia'
import { parseStatement, toStatementCsv } from '../accounts/statement.ts'
import { Problem } from '../http/problem.ts'
import { findPeriod } from '../metering/utc-day.ts'
import type { AccountApi } from './account-api.ts'
import { json, sessionEndpoint } from './account-endpoint.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { documented } from './documented-account-route.ts'

const FILE_NAME = /^(\d{4}-\d{2})\.(json|csv)$/

/** GET /v1/statements, /v1/statements/{month}.json, /v1/statements/{month}.csv. */
export const statementsApi = (api: AccountApi) => {
  const { owners } = api.accounts
  return new Elysia({ name: 'account.statements' })
    .get(
      ACCOUNT_ROUTES.listStatements.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.listStatements, async ({ account }) =>
        json({ statements: await owners.listStatements(account.id) }),
      ),
      documented(ACCOUNT_ROUTES.listStatements),
    )
    .get(
      ACCOUNT_ROUTES.getStatement.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.getStatement, async ({ account, params }) => {
        const [, month = '', form] = FILE_NAME.exec(params['file'] ?? '') ?? []
        const period = findPeriod(month)
        if (period === undefined) return new Problem('not_found')
        const document = await owners.findStatement(account.id, period)
        if (document === undefined)
          return new Problem(
            'not_found',
            `There is no statement for ${month}. Closed months are listed at /v1/statements.`,
          )
        const body = form === 'csv' ? toStatementCsv(parseStatement(document)) : document
        const headers = {
          'Content-Type': form === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/json',
          'Content-Disposition': `attachment; filename="statement-${month}.${form}"`,
        }
        return new Response(body, { headers })
      }),
      documented(ACCOUNT_ROUTES.getStatement),
    )
}
