// Request body schemas of the account API. They are documented, and the pipeline validates bodies against them. Unknown
// members are errors, except in the answers of passkeys.
import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { SPEND_CAP_CENTS } from '../accounts/account-rules.ts'
import { PlanWord } from '../contract/usage.schema.ts'
import { EMAIL_MEMBER } from './email-address.ts'

/** A limit well above the number of scopes that exist; `checkScopes` (account-rules.ts) checks each scope. */
const MANY_SCOPES = 10

/** No request body, as with GET and DELETE. */
export const NO_BODY = Type.Undefined()

/** Whether a schema describes a body. */
export function isBody(schema: TSchema): boolean {
  return schema !== NO_BODY
}

/** A body with exactly these members. */
function body<Members extends TProperties>(members: Members) {
  return Type.Object(members, { additionalProperties: false })
}

/** Body of a request that creates an account. */
export const SIGN_UP = body({ email: EMAIL_MEMBER, password: Type.String() })
/** A code from an authenticator app, or a recovery code. */
const Code = Type.Optional(
  Type.String({
    description: 'A code from the authenticator app, or a recovery code. Required if the second factor is on.',
  }),
)
/** Body of a request that verifies an account's email address. */
export const VERIFICATION = body({
  token: Type.String(),
  code: Code,
  password: Type.Optional(
    Type.String({
      description:
        'The password from the sign-up that sent the link. Required after more than one sign-up with the address.',
    }),
  ),
})
/** Body of a login with a password. */
export const LOG_IN = body({ email: EMAIL_MEMBER, password: Type.String(), code: Code })
/** Body of a request for a password reset link. */
export const RESET_REQUEST = body({ email: EMAIL_MEMBER })
/** Body of a request that sets a new password with the token from a reset link. */
export const RESET_CONFIRMATION = body({ token: Type.String(), password: Type.String(), code: Code })
/** Body of a request that changes the password. */
export const PASSWORD_CHANGE = body({ current_password: Type.String(), password: Type.String() })
/** Body of a request in which the owner enters the password again. */
export const CONFIRMATION = body({ password: Type.String() })
/** Body of a request for a link that changes the email address. */
export const EMAIL_CHANGE = body({ email: EMAIL_MEMBER })
/** Body of a request that changes the email address with the token from the emailed link. */
export const EMAIL_CONFIRMATION = body({ token: Type.String() })
const Base64Url = Type.String({ pattern: '^[A-Za-z0-9_-]+$' })
/** A credential from `navigator.credentials`, as returned by its `toJSON`. Members not named here are ignored. */
function passkeyAnswer<Members extends TProperties>(members: Members) {
  return Type.Object({ id: Base64Url, response: Type.Object({ clientDataJSON: Base64Url, ...members }) })
}
/** Body of a request that adds a passkey. */
export const NEW_PASSKEY = body({
  name: Type.String(),
  answer: passkeyAnswer({ attestationObject: Base64Url }),
})
/** Body of a login with a passkey. */
export const USED_PASSKEY = body({ answer: passkeyAnswer({ authenticatorData: Base64Url, signature: Base64Url }) })
/** Body of a request that turns the second factor on. */
export const FACTOR_CODE = body({ code: Type.String() })
/** Body of a request that creates a key. */
export const NEW_KEY = body({
  name: Type.String(),
  scopes: Type.Array(Type.String(), { maxItems: MANY_SCOPES }),
  expires_at: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})
/** Body of a request that renames a key. */
export const KEY_NAME = body({ name: Type.String() })
/** Body of a request that chooses a plan. */
export const PLAN_CHOICE = body({ plan: PlanWord })
/** Body of a request that turns overage on or off, or sets the spend cap. */
export const BILLING = Type.Object(
  {
    overage_enabled: Type.Optional(Type.Boolean()),
    spend_cap_cents: Type.Optional(Type.Integer({ minimum: 0, maximum: SPEND_CAP_CENTS })),
  },
  { additionalProperties: false, minProperties: 1 },
)
