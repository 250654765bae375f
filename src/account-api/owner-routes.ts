// The documented routes for the account itself, such as its deletion: a part of the table in account-routes.ts.
import { row } from './account-route.ts'
import { MessageSchema, PendingSchema } from './answers.schema.ts'
import { EMAIL_CHANGE, EMAIL_CONFIRMATION, NO_BODY } from './bodies.schema.ts'

const TAG = 'Sign-up and log-in'

/** The routes that change the account's email address, and the route that deletes the account. */
export const OWNER_ROUTES = {
  requestEmailChange: row({
    name: 'requestEmailChange',
    method: 'post',
    path: '/v1/email-changes',
    summary: 'Request address change',
    description:
      'Sends a link to the new address, and a notice to the current one. Using the link changes the address. ' +
      'The response is the same whether or not the new address has an account.',
    tag: TAG,
    access: 'session',
    body: EMAIL_CHANGE,
    status: 202,
    answer: MessageSchema,
    refusals: ['confirmation_required', 'too_many_tries', 'too_many_changes'],
  }),
  confirmEmailChange: row({
    name: 'confirmEmailChange',
    method: 'post',
    path: '/v1/email-changes/confirm',
    summary: 'Confirm address change',
    description:
      'Changes the e-mail address of the account. Requires the token from the mailed link. All other mailed links of ' +
      'the account stop working. Starts no session.',
    tag: TAG,
    access: 'open',
    body: EMAIL_CONFIRMATION,
    status: 200,
    answer: MessageSchema,
    refusals: ['invalid_token_link', 'too_many_tries'],
  }),
  deleteAccount: row({
    name: 'deleteAccount',
    method: 'delete',
    path: '/v1/account',
    summary: 'Delete the account',
    description:
      'Deletes the account at once; this cannot be undone. All its keys are revoked, so requests with them fail, and all ' +
      'sessions end. The e-mail address and the names of the keys are erased after 14 days; until then the address ' +
      'cannot be used for another account. Statements keep the id of the account.',
    tag: TAG,
    access: 'session',
    body: NO_BODY,
    status: 204,
    setsCookie: true,
    pending: PendingSchema,
    refusals: ['confirmation_required'],
  }),
} as const
