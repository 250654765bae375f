// Admits keys on the account API: those with the scope account:read, at their account's rate on the data API.

import type { KeyGate } from '../access/gate.ts'
import { LimitGate, type LimitGateParts } from '../access/gates.ts'
import { ACCOUNT_SCOPE, KeyRing, type RingChange, type RingStart } from '../access/key-ring.ts'

/** What the gate is made of. */
export interface KeyGateParts extends Omit<LimitGateParts, 'ring'> {
  readonly audience: string
  /** Every account and key there is. */
  load(): Promise<RingStart>
  /** Tells of every change from now on. */
  subscribe(listener: (change: RingChange) => void): void
}

/** Opens the gate; from then on it follows every change. */
export async function openKeyGate(parts: KeyGateParts): Promise<KeyGate> {
  const { audience, plans, clock, cells } = parts
  const missed: RingChange[] = []
  let apply = (change: RingChange): void => void missed.push(change)
  parts.subscribe((change) => apply(change))
  const ring = new KeyRing(await parts.load(), audience, ACCOUNT_SCOPE)
  const gate = new LimitGate({ ring, plans, cells, clock })
  apply = (change) => gate.apply(change)
  for (const change of missed) gate.apply(change)
  return gate
}
