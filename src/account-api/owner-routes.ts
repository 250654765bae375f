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
    summary: 'Request email change',
    description:
      'Emails a link to the new address, and a notice to the current one. Using the link changes the address. ' +
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
    summary: 'Confirm email change',
    description:
      "Changes the account's email address. Requires the token from the emailed link. All other links emailed to the " +
      'owner stop working. Does not start a session.',
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
      'Deletes the account immediately; this cannot be undone. All its keys are revoked, so requests with them fail, ' +
      'and all its sessions end. The email address and the key names are erased after 14 days; until then, the ' +
      'address cannot be used for another account. Statements keep the account id.',
    tag: TAG,
    access: 'session',
    body: NO_BODY,
    status: 204,
    setsCookie: true,
    pending: PendingSchema,
    refusals: ['confirmation_required'],
  }),
} as const
