// Lets keys in on the account API: those with the scope account:read, at the rate their account has on the data API.
import { admitBearer } from '../access/access.ts'
import { Admittance } from '../access/admittance.ts'
import type { Gate } from '../access/gate.ts'
import { ACCOUNT_SCOPE, KeyRing, type RingChange, type RingStart } from '../access/key-ring.ts'
import { QuotaCells } from '../metering/quota-cells.ts'
import { RateCells } from '../metering/rate-cells.ts'
import type { PlanTable } from '../plans/plans.ts'
import type { Clock } from '../system/clock.ts'

/** The gate of the account API. Calls cost no units there, so that only their rate is asked for. */
export type AccountGate = Pick<Gate, 'admit' | 'reserve' | 'limitFields'>

/** What the gate is made of. */
export interface AccountGateParts {
  readonly audience: string
  readonly plans: PlanTable
  /** True time. */
  readonly clock: Clock
  /** The cells by which the data threads admit. */
  readonly cells: { readonly quota: SharedArrayBuffer; readonly rates: SharedArrayBuffer }
  /** Every account and key there is. */
  load(): Promise<RingStart>
  /** Tells of every change from now on. */
  subscribe(listener: (change: RingChange) => void): void
}

/** Opens the gate; from then on it follows every change. */
export async function openAccountGate(parts: AccountGateParts): Promise<AccountGate> {
  const { audience, plans, clock, cells } = parts
  const missed: RingChange[] = []
  let apply = (change: RingChange): void => void missed.push(change)
  parts.subscribe((change) => apply(change))
  const ring = new KeyRing(await parts.load(), audience, ACCOUNT_SCOPE)
  const [quota, rates] = [new QuotaCells(cells.quota), new RateCells(cells.rates)]
  const admittance = new Admittance({ ring, plans, quota, rates, clock })
  apply = (change) => {
    if (change.plans !== undefined) admittance.replacePlans(change.plans)
    ring.apply(change)
    admittance.forget(change.accounts.map(({ id }) => id))
  }
  for (const change of missed) apply(change)
  return {
    admit: (authorization) => admitBearer(ring, authorization, clock.nowMillis()),
    reserve: (caller, units) => admittance.reserve(caller, units),
    limitFields: () => admittance.fields(),
  }
}
