// The contents of the database in the cluster histories.
import type { RulesOn } from './fleet-rules.ts'

/**
 * What the database stores about an account: its cap, whether it is revoked, and the mark of the account's last change.
 */
export interface StoredTerms {
  readonly cap: number | null
  readonly isRevoked: boolean
  readonly mark: number
}

/** A row of the table `replicas`. */
export interface ReplicaState {
  folder: string
  state: 'joining' | 'serving' | 'ended'
  why: string | null
  beat: number
  toldLife: string
  sealedDay: number
}

/** A row of the table `grants`. */
export interface GrantState {
  granted: number
  returned: number
  used: number
}

/** The data that survives a crash of the database. Standbys and backups are copies of it. */
export interface Durable {
  changes: { readonly mark: number; readonly what: string }[]
  accounts: Map<string, StoredTerms>
  replicas: Map<string, ReplicaState>
  writers: Map<string, string>
  /** `<writer> <key> <day>` → units. */
  usage: Map<string, number>
  late: Map<string, number>
  quota: Set<string>
  /** `<month> <account>` → replica → its grant. */
  grants: Map<string, Map<string, GrantState>>
  sealingDay: number
  firstOpenDay: number
  /** Account → the units on its statement for the first month; undefined until that month is closed. */
  billed: Map<string, number> | undefined
  life: string
  lifeSince: number
}

/** The parts of a history's world that the database reads. */
export interface DatabaseWorld {
  now(): number
  /** An id of the database server and its timeline; always the same if replicas cannot read it. */
  life(): string
  isOn: RulesOn
  monthOfDay(day: number): number
  accountOfKey(keyId: string): string
}
