// Admits keys with the scope `account:read` to the account API. Their requests count toward the account's rate limit
// for the data API.

import type { KeyGate } from '../access/gate.ts'
import { ACCOUNT_SCOPE, KeyRing, type RingChange, type RingStart } from '../access/key-ring.ts'
import { LimitGate, type LimitGateParts } from '../access/limit-gate.ts'

/** Dependencies of the gate. */
export interface KeyGateParts extends Omit<LimitGateParts, 'ring'> {
  readonly audience: string
  /** Loads all accounts and keys. */
  load(): Promise<RingStart>
  /** Subscribes to all later changes. */
  subscribe(listener: (change: RingChange) => void): void
}

/** Opens the gate, which applies every change from then on. */
export async function openKeyGate(parts: KeyGateParts): Promise<KeyGate> {
  const { audience, plans, clock, cells, mostRateDebtMicros } = parts
  const missed: RingChange[] = []
  let apply = (change: RingChange): void => void missed.push(change)
  parts.subscribe((change) => apply(change))
  const ring = new KeyRing(await parts.load(), audience, ACCOUNT_SCOPE)
  const gate = new LimitGate({ ring, plans, cells, clock, mostRateDebtMicros })
  apply = (change) => gate.apply(change)
  for (const change of missed) gate.apply(change)
  return gate
}
