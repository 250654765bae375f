// The operations that commands and the account API use, with their results. An operation runs in the process that has
// locked the data directory. Other processes reach it through the control socket.
import { type Static, Type } from '@sinclair/typebox'
import type { UsageReport } from '../access/gate.ts'
import type { LedgerVerification } from '../metering/ledger.ts'
import { PLANS } from '../plans/plans.ts'
import { type InTurn, makeTurns } from '../system/turns.ts'
import type { AccountBook } from './account-book.ts'
import type { Actor, EventDetail, EventKind } from './account-event.ts'

const PLAN = Type.Union(PLANS.map((plan) => Type.Literal(plan)))
const EMAIL = Type.Object({ email: Type.String() })

/** The operations and their arguments. */
export const OPERATION_INPUTS = {
  createKey: Type.Object({
    email: Type.String(),
    /** Required for a new account. For an existing account, it must match the account's plan. */
    plan: Type.Optional(PLAN),
    name: Type.String(),
    scopes: Type.Array(Type.String()),
    /** Unix milliseconds; null if the key never expires. */
    expiresAtMillis: Type.Union([Type.Number(), Type.Null()]),
  }),
  listKeys: Type.Object({}),
  revokeKey: Type.Object({ id: Type.String() }),
  listAccounts: Type.Object({}),
  showAccount: EMAIL,
  setPlan: Type.Object({ email: Type.String(), plan: PLAN }),
  setSuspended: Type.Object({ email: Type.String(), isSuspended: Type.Boolean() }),
  removeFactor: EMAIL,
  deleteAccount: EMAIL,
  /** `month` is `YYYY-MM`; if absent, the statements of all months are listed. */
  listStatements: Type.Object({ month: Type.Optional(Type.String()) }),
  verifyLedger: Type.Object({}),
}

/** Name of an operation. */
export type OperationName = keyof typeof OPERATION_INPUTS

/** Arguments of an operation. */
export type OperationInput<Name extends OperationName> = Static<(typeof OPERATION_INPUTS)[Name]>

/** The part of a change's result that tells whether all replicas of a cluster have applied the change. */
export interface Unconfirmed {
  /** Names of the replicas that have not confirmed the change; absent if all have. */
  readonly unconfirmed?: readonly string[]
}

/** Waits until all replicas have applied a change, but for at most a second. */
export type Confirm = <Result extends object>(change: Promise<Result>) => Promise<Result & Unconfirmed>

/** A key in listings. Times are RFC 3339 in UTC. */
export interface KeyListing {
  readonly id: string
  /** Address of the account; null if it was erased because the account was deleted. */
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

/** An account in listings. */
export interface AccountListing {
  readonly id: string
  readonly email: string | null
  readonly plan: string
  readonly state: 'active' | 'unverified' | 'suspended' | 'deleted'
  readonly active_keys: number
  readonly key_limit: number
  /** The owner's overage setting; ignored on plans without overage. */
  readonly overage_enabled: boolean
  readonly spend_cap_cents: number
  readonly created_at: string
}

/** An event that concerns an account or one of its keys, in listings. */
export interface EventListing {
  readonly id: string
  readonly at: string
  readonly kind: EventKind
  readonly key_id: string | null
  readonly actor: Actor
  readonly detail: EventDetail
}

/** An account's closed month, in listings. */
export interface StatementListing {
  /** `YYYY-MM`. */
  readonly month: string
  readonly closed_at: string
  readonly units: number
  readonly included_units: number
  readonly overage_units: number
  readonly amount_cents: number
  /** The plan at the end of the month. */
  readonly plan: string
}

/** A closed month in listings that also name the account. */
export interface AccountStatementListing extends StatementListing {
  readonly account_id: string
  /** Address of the account; null if it was erased because the account was deleted. */
  readonly account: string | null
}

/** An account with its keys, this month's usage, closed months and latest events. */
export interface AccountDetails extends AccountListing {
  readonly keys: readonly KeyListing[]
  readonly usage: UsageReport
  /** Newest first. */
  readonly statements: readonly StatementListing[]
  /** Only the latest 20, newest first. */
  readonly events: readonly EventListing[]
}

/** A new key. The full key is only in this result. */
export interface CreatedKey {
  readonly key: string
  readonly listing: KeyListing
  readonly plan: string
  readonly isNewAccount: boolean
}

/** Results of the operations, by name. */
export interface OperationOutputs {
  createKey: CreatedKey & Unconfirmed
  listKeys: KeyListing[]
  revokeKey: KeyListing & Unconfirmed
  listAccounts: AccountListing[]
  showAccount: AccountDetails
  setPlan: AccountListing & Unconfirmed
  setSuspended: AccountListing & Unconfirmed
  removeFactor: AccountListing
  deleteAccount: AccountListing & Unconfirmed
  listStatements: AccountStatementListing[]
  verifyLedger: LedgerVerification
}

/** All operations. An operation throws AccountRefusal if the caller can fix the problem. */
export type AccountOperations = {
  [Name in OperationName]: (input: OperationInput<Name>) => Promise<OperationOutputs[Name]>
}

/** Dependencies of the operations. */
export interface OperationParts {
  readonly verifyLedger: AccountOperations['verifyLedger']
  /** The queue in which changes run; if absent, a new one is created. */
  readonly inTurn?: InTurn
  /** Waits until all replicas have applied a change; if absent, operations do not wait. */
  readonly confirm?: Confirm
}

/**
 * Creates the operations on an account book. Changes run one after the other, so that data threads receive them in
 * order.
 */
export function toOperations(book: AccountBook, parts: OperationParts): AccountOperations {
  const { verifyLedger, inTurn = makeTurns(), confirm = (change) => change } = parts
  return {
    createKey: (input) => confirm(inTurn(() => book.createKey(input))),
    listKeys: () => book.listKeys(),
    revokeKey: (input) => confirm(inTurn(() => book.revokeKey(input))),
    listAccounts: () => book.listAccounts(),
    showAccount: (input) => book.showAccount(input),
    setPlan: (input) => confirm(inTurn(() => book.setPlan(input))),
    setSuspended: (input) => confirm(inTurn(() => book.setSuspended(input))),
    removeFactor: (input) => inTurn(() => book.removeFactor(input)),
    deleteAccount: (input) => confirm(inTurn(() => book.deleteAccount(input))),
    listStatements: (input) => book.listStatements(input),
    verifyLedger,
  }
}
