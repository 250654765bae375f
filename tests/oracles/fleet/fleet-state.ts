// The contents of the database of the cluster histories.
import type { RulesOn } from './fleet-rules.ts'

/** An account's stored terms. */
export interface StoredTerms {
  readonly cap: number | null
  readonly isRevoked: boolean
  readonly mark: number
}

/** A row of `replicas`. */
export interface ReplicaState {
  folder: string
  state: 'joining' | 'serving' | 'ended'
  why: string | null
  beat: number
  toldLife: string
  sealedDay: number
}

/** A row of `grants`. */
export interface GrantState {
  granted: number
  returned: number
  used: number
}

/** The data that survives a crash of the database, and that a copy of it contains. */
export interface Durable {
  changes: { readonly mark: number; readonly what: string }[]
  accounts: Map<string, StoredTerms>
  replicas: Map<string, ReplicaState>
  writers: Map<string, string>
  /** Units by writer, key and day. */
  usage: Map<string, number>
  late: Map<string, number>
  quota: Set<string>
  /** By account and month, then by replica. */
  grants: Map<string, Map<string, GrantState>>
  sealingDay: number
  firstOpenDay: number
  /** Statements of the first month, by account. */
  billed: Map<string, number> | undefined
  life: string
  lifeSince: number
}

/** The parts of a history's world that the database reads. */
export interface DatabaseWorld {
  now(): number
  /** Identifies the server and its timeline; a constant if that is hidden. */
  life(): string
  isOn: RulesOn
  monthOfDay(day: number): number
  accountOfKey(keyId: string): string
}
