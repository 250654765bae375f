// The documented passkey routes: a part of the table in account-routes.ts.
import { row } from './account-route.ts'
import { PasskeyOptionsSchema, PasskeySchema, PasskeysSchema, SessionSchema } from './answers.schema.ts'
import { NEW_PASSKEY, NO_BODY, USED_PASSKEY } from './bodies.schema.ts'

const TAG = 'Second factor'

/** The passkey routes. */
export const PASSKEY_ROUTES = {
  listPasskeys: row({
    name: 'listPasskeys',
    method: 'get',
    path: '/v1/passkeys',
    summary: 'List passkeys',
    description: "Returns the account's passkeys, oldest first.",
    tag: TAG,
    access: 'session',
    body: NO_BODY,
    status: 200,
    answer: PasskeysSchema,
    refusals: [],
  }),
  setUpPasskey: row({
    name: 'setUpPasskey',
    method: 'post',
    path: '/v1/passkeys/setups',
    summary: 'Get passkey creation options',
    description:
      'Returns the options that a browser needs to create a passkey. Send the result to `POST /v1/passkeys` within ' +
      'five minutes.',
    tag: TAG,
    access: 'session',
    body: NO_BODY,
    status: 200,
    answer: PasskeyOptionsSchema,
    refusals: ['confirmation_required'],
  }),
  addPasskey: row({
    name: 'addPasskey',
    method: 'post',
    path: '/v1/passkeys',
    summary: 'Add a passkey',
    description: 'Adds a passkey that the browser has created. An account can have at most ten passkeys.',
    tag: TAG,
    access: 'session',
    body: NEW_PASSKEY,
    status: 201,
    answer: PasskeySchema,
    refusals: ['passkey_refused', 'confirmation_required', 'not_allowed', 'too_many_changes'],
  }),
  removePasskey: row({
    name: 'removePasskey',
    method: 'delete',
    path: '/v1/passkeys/:id',
    summary: 'Remove a passkey',
    description: 'Removes a passkey: it can no longer be used to log in. Sessions that were started with it continue.',
    tag: TAG,
    access: 'session',
    body: NO_BODY,
    status: 204,
    refusals: ['confirmation_required', 'not_found', 'too_many_changes'],
  }),
  challengePasskey: row({
    name: 'challengePasskey',
    method: 'post',
    path: '/v1/passkey-challenges',
    summary: 'Get passkey challenge',
    description:
      'Returns the options that a browser needs to log in with a passkey. The options do not identify an account.',
    tag: 'Sign-up and log-in',
    access: 'open',
    body: NO_BODY,
    status: 200,
    answer: PasskeyOptionsSchema,
    refusals: ['too_many_tries'],
  }),
  logInWithPasskey: row({
    name: 'logInWithPasskey',
    method: 'post',
    path: '/v1/passkey-sessions',
    summary: 'Log in with passkey',
    description:
      'Starts a session. Neither a password nor a second-factor code is required, because the device checks a ' +
      'PIN, a fingerprint or a face before it uses the passkey.',
    tag: 'Sign-up and log-in',
    access: 'open',
    body: USED_PASSKEY,
    status: 200,
    answer: SessionSchema,
    setsCookie: true,
    refusals: ['passkey_refused', 'session_required', 'account_suspended', 'too_many_tries'],
  }),
} as const
