// The documented second-factor routes: a part of the table in account-routes.ts.
import { row } from './account-route.ts'
import { FactorSchema, FactorSetupSchema, RecoveryCodesSchema } from './answers.schema.ts'
import { FACTOR_CODE, NO_BODY } from './bodies.schema.ts'

const TAG = 'Second factor'

/** The second-factor routes. */
export const FACTOR_ROUTES = {
  getFactor: row({
    name: 'getFactor',
    method: 'get',
    path: '/v1/factor',
    summary: 'Get second factor',
    description: 'Returns whether the second factor is on, and how many recovery codes are left.',
    tag: TAG,
    access: 'session',
    body: NO_BODY,
    status: 200,
    answer: FactorSchema,
    refusals: [],
  }),
  setUpFactor: row({
    name: 'setUpFactor',
    method: 'post',
    path: '/v1/factor/setups',
    summary: 'Set up authenticator app',
    description:
      'Returns a new secret for an authenticator app. It replaces the secret of an earlier setup. ' +
      'The second factor stays off until a code from the app is sent to `PUT /v1/factor`.',
    tag: TAG,
    access: 'session',
    body: NO_BODY,
    status: 200,
    answer: FactorSetupSchema,
    refusals: ['confirmation_required', 'not_allowed'],
  }),
  enableFactor: row({
    name: 'enableFactor',
    method: 'put',
    path: '/v1/factor',
    summary: 'Turn on second factor',
    description:
      'Turns on the second factor: logging in with the password then also requires a code from the authenticator app or ' +
      'a recovery code. The recovery codes are only shown in this response.',
    tag: TAG,
    access: 'session',
    body: FACTOR_CODE,
    status: 200,
    answer: RecoveryCodesSchema,
    refusals: ['wrong_code', 'confirmation_required', 'not_allowed', 'too_many_tries', 'too_many_changes'],
  }),
  replaceRecoveryCodes: row({
    name: 'replaceRecoveryCodes',
    method: 'post',
    path: '/v1/factor/recovery-codes',
    summary: 'Replace recovery codes',
    description: 'Returns new recovery codes, which are only shown in this response. The old ones stop working.',
    tag: TAG,
    access: 'session',
    body: NO_BODY,
    status: 200,
    answer: RecoveryCodesSchema,
    refusals: ['confirmation_required', 'not_allowed', 'too_many_changes'],
  }),
  disableFactor: row({
    name: 'disableFactor',
    method: 'delete',
    path: '/v1/factor',
    summary: 'Turn off second factor',
    description: 'Turns off the second factor. Deletes the secret of the authenticator app and the recovery codes.',
    tag: TAG,
    access: 'session',
    body: NO_BODY,
    status: 204,
    refusals: ['confirmation_required', 'not_allowed', 'too_many_changes'],
  }),
} as const
