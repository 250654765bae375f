// What each plan grants before an operator's configuration changes it. Read by the configuration, the gate and the account store.

/** The account plans, as `/usage` names them. */
export const PLANS = ['free', 'pay_as_you_go', 'starter', 'pro', 'max'] as const
export type Plan = (typeof PLANS)[number]

/** What an account of one plan may use in a calendar month (UTC), and how fast. */
export interface PlanSettings {
  /** Units of a month that cost nothing more. */
  readonly includedUnits: number
  /** Sustained requests a second; 0 is no limit. */
  readonly requestsPerSecond: number
  /** Requests that may come at once. */
  readonly burst: number
  /** Whether units beyond the included ones can be bought. */
  readonly overageAvailable: boolean
  /** Price of one unit beyond the included ones, in cents, as a decimal text. */
  readonly overageUnitAmountDecimal: string
}

/** Settings of every plan. */
export type PlanTable = Readonly<Record<Plan, PlanSettings>>

/** The plans as they are without configuration. */
export const DEFAULT_PLANS: PlanTable = {
  free: {
    includedUnits: 10_000,
    requestsPerSecond: 10,
    burst: 50,
    overageAvailable: false,
    overageUnitAmountDecimal: '0',
  },
  pay_as_you_go: {
    includedUnits: 10_000,
    requestsPerSecond: 50,
    burst: 200,
    overageAvailable: true,
    overageUnitAmountDecimal: '0.05',
  },
  starter: {
    includedUnits: 250_000,
    requestsPerSecond: 50,
    burst: 200,
    overageAvailable: false,
    overageUnitAmountDecimal: '0',
  },
  pro: {
    includedUnits: 2_000_000,
    requestsPerSecond: 500,
    burst: 2_000,
    overageAvailable: false,
    overageUnitAmountDecimal: '0',
  },
  max: {
    includedUnits: 20_000_000,
    requestsPerSecond: 0,
    burst: 0,
    overageAvailable: false,
    overageUnitAmountDecimal: '0',
  },
}

/** How many active keys an account of a plan may have: fixed by the interface, not configurable. */
export const ACTIVE_KEY_LIMITS: Readonly<Record<Plan, number>> = {
  free: 2,
  pay_as_you_go: 5,
  starter: 5,
  pro: 20,
  max: 50,
}

/** Whether a text names a plan. */
export function isPlan(text: string): text is Plan {
  return PLANS.some((plan) => plan === text)
}
