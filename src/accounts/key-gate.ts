// Lets keys in on the account API: those with the scope account:read, at the rate their account has on the data API.

import { CallLimits } from '../access/call-limits.ts'
import type { KeyGate } from '../access/gate.ts'
import { ACCOUNT_SCOPE, KeyRing, type RingChange, type RingStart } from '../access/key-ring.ts'
import { authenticateBearer } from '../access/open-gate.ts'
import { QuotaCells, RateCells } from '../metering/limit-cells.ts'
import type { PlanTable } from '../plans/plans.ts'
import type { Clock } from '../system/clock.ts'

/** What the gate is made of. */
export interface KeyGateParts {
  readonly audience: string
  readonly plans: PlanTable
  /** True time. */
  readonly clock: Clock
  /** The cells of limits that the data threads share. */
  readonly cells: { readonly quota: SharedArrayBuffer; readonly rates: SharedArrayBuffer }
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
  const [quota, rates] = [new QuotaCells(cells.quota), new RateCells(cells.rates)]
  const callLimits = new CallLimits({ ring, plans, quota, rates, clock })
  apply = (change) => {
    if (change.plans !== undefined) callLimits.replacePlans(change.plans)
    ring.apply(change)
    callLimits.forget(change.accounts.map(({ id }) => id))
  }
  for (const change of missed) apply(change)
  return {
    authenticate: (authorization) => authenticateBearer(ring, authorization, clock.nowMillis()),
    reserve: (caller, units) => callLimits.reserve(caller, units),
    limitFields: () => callLimits.fields(),
  }
}
