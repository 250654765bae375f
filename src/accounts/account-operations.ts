// What commands and the account API can ask for, and the shape of the answers. Done in this process by the account
// book, or over the control socket by the process that holds the data directory.
import { type Static, Type } from '@sinclair/typebox'
import type { UsageReport } from '../access/gate.ts'
import type { LedgerVerification } from '../metering/ledger.ts'
import { PLANS } from '../plans/plans.ts'
import { type InTurn, makeTurns } from '../system/turns.ts'
import type { AccountBook } from './account-book.ts'
import type { Actor, EventDetail, EventKind } from './account-event.ts'

const PLAN = Type.Union(PLANS.map((plan) => Type.Literal(plan)))
const EMAIL = Type.Object({ email: Type.String() })

/** The operations, each with what it takes. */
export const OPERATION_INPUTS = {
  createKey: Type.Object({
    email: Type.String(),
    /** Needed for a new account; must be the account's own where there is one. */
    plan: Type.Optional(PLAN),
    name: Type.String(),
    scopes: Type.Array(Type.String()),
    /** Milliseconds after 1970, or null for never. */
    expiresAtMillis: Type.Union([Type.Number(), Type.Null()]),
  }),
  listKeys: Type.Object({}),
  revokeKey: Type.Object({ id: Type.String() }),
  listAccounts: Type.Object({}),
  showAccount: EMAIL,
  setPlan: Type.Object({ email: Type.String(), plan: PLAN }),
  setSuspended: Type.Object({ email: Type.String(), isSuspended: Type.Boolean() }),
  deleteAccount: EMAIL,
  /** Of one month (`YYYY-MM`), or of all. */
  listStatements: Type.Object({ month: Type.Optional(Type.String()) }),
  verifyLedger: Type.Object({}),
}

/** The name of an operation. */
export type OperationName = keyof typeof OPERATION_INPUTS

/** What an operation takes. */
export type OperationInput<Name extends OperationName> = Static<(typeof OPERATION_INPUTS)[Name]>

/** A key as it is listed. Instants are RFC 3339 in UTC. */
export interface KeyListing {
  readonly id: string
  /** Address of the account, or null once it is deleted. */
  readonly account: string | null
  readonly name: string
  readonly prefix: string
  readonly last_four: string
  readonly state: 'active' | 'revoked' | 'expired' | 'suspended'
  readonly scopes: readonly string[]
  readonly audience: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
}

/** An account as it is listed. */
export interface AccountListing {
  readonly id: string
  readonly email: string | null
  readonly plan: string
  readonly state: 'active' | 'unverified' | 'suspended' | 'deleted'
  readonly active_keys: number
  readonly key_limit: number
  /** The owner's switch; it says nothing on a plan without overage. */
  readonly overage_enabled: boolean
  readonly spend_cap_cents: number
  readonly created_at: string
}

/** Something that happened to an account or one of its keys. */
export interface EventListing {
  readonly id: string
  readonly at: string
  readonly kind: EventKind
  readonly key_id: string | null
  readonly actor: Actor
  readonly detail: EventDetail
}

/** A closed month of an account. */
export interface StatementListing {
  /** `YYYY-MM`. */
  readonly month: string
  readonly closed_at: string
  readonly units: number
  readonly included_units: number
  readonly overage_units: number
  readonly amount_cents: number
  /** At the month's end. */
  readonly plan: string
}

/** A closed month, and whose it is. */
export interface AccountStatementListing extends StatementListing {
  readonly account_id: string
  /** Null once the account is deleted. */
  readonly account: string | null
}

/** An account with its keys, its use of the month, its closed months and what happened to it last. */
export interface AccountDetails extends AccountListing {
  readonly keys: readonly KeyListing[]
  readonly usage: UsageReport
  /** The newest first. */
  readonly statements: readonly StatementListing[]
  /** The newest first; the last few. */
  readonly events: readonly EventListing[]
}

/** A key just made. The text exists here only. */
export interface CreatedKey {
  readonly key: string
  readonly listing: KeyListing
  readonly plan: string
  readonly isNewAccount: boolean
}

/** What an operation answers. */
export interface OperationOutputs {
  createKey: CreatedKey
  listKeys: KeyListing[]
  revokeKey: KeyListing
  listAccounts: AccountListing[]
  showAccount: AccountDetails
  setPlan: AccountListing
  setSuspended: AccountListing
  deleteAccount: AccountListing
  listStatements: AccountStatementListing[]
  verifyLedger: LedgerVerification
}

/** All operations. Each is refused with an AccountRefusal where the asker can mend it. */
export type AccountOperations = {
  [Name in OperationName]: (input: OperationInput<Name>) => Promise<OperationOutputs[Name]>
}

/**
 * An account book's operations, and the ledger's. Changes run in turn, so that they reach the data threads in the order
 * they were made in.
 */
export function toOperations(
  book: AccountBook,
  verifyLedger: AccountOperations['verifyLedger'],
  inTurn: InTurn = makeTurns(),
): AccountOperations {
  return {
    createKey: (input) => inTurn(() => book.createKey(input)),
    listKeys: () => book.listKeys(),
    revokeKey: (input) => inTurn(() => book.revokeKey(input)),
    listAccounts: () => book.listAccounts(),
    showAccount: (input) => book.showAccount(input),
    setPlan: (input) => inTurn(() => book.setPlan(input)),
    setSuspended: (input) => inTurn(() => book.setSuspended(input)),
    deleteAccount: (input) => inTurn(() => book.deleteAccount(input)),
    listStatements: (input) => book.listStatements(input),
    verifyLedger,
  }
}
