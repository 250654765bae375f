// The account plans: their names, and what each grants before an operator's configuration changes it. A plan is added
// here alone; settings, commands, schemas and the pages' contracts are made of this table.

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

/** What each plan grants without configuration, in the order in which plans are listed. */
const PRESETS = {
  free: {
    includedUnits: 10_000,
    requestsPerSecond: 10,
    burst: 50,
    overageAvailable: false,
    overageUnitAmountDecimal: '0',
    activeKeyLimit: 2,
  },
  pay_as_you_go: {
    includedUnits: 10_000,
    requestsPerSecond: 50,
    burst: 200,
    overageAvailable: true,
    overageUnitAmountDecimal: '0.05',
    activeKeyLimit: 5,
  },
  starter: {
    includedUnits: 250_000,
    requestsPerSecond: 50,
    burst: 200,
    overageAvailable: false,
    overageUnitAmountDecimal: '0',
    activeKeyLimit: 5,
  },
  pro: {
    includedUnits: 2_000_000,
    requestsPerSecond: 500,
    burst: 2_000,
    overageAvailable: false,
    overageUnitAmountDecimal: '0',
    activeKeyLimit: 20,
  },
  max: {
    includedUnits: 20_000_000,
    requestsPerSecond: 0,
    burst: 0,
    overageAvailable: false,
    overageUnitAmountDecimal: '0',
    activeKeyLimit: 50,
  },
} as const satisfies Readonly<Record<string, PlanPreset>>

/** A plan's preset. */
interface PlanPreset extends PlanSettings {
  /** How many active keys an account may have: fixed by the interface, not configurable. */
  readonly activeKeyLimit: number
}

/** The name of a plan, as `/usage` gives it. */
export type Plan = keyof typeof PRESETS

/** Settings of every plan. */
export type PlanTable = Readonly<Record<Plan, PlanSettings>>

/** The names of all plans. */
export const PLANS: readonly Plan[] = Object.keys(PRESETS).filter(isPlan)

/** The plans as they are without configuration. */
export const DEFAULT_PLANS: PlanTable = PRESETS

/** How many active keys an account of a plan may have. */
export const ACTIVE_KEY_LIMITS: Readonly<Record<Plan, number>> = tableOfPlans((plan) => PRESETS[plan].activeKeyLimit)

/** Whether a text names a plan. */
export function isPlan(text: string): text is Plan {
  return Object.hasOwn(PRESETS, text)
}

/** A value for each plan. */
export function tableOfPlans<Value>(make: (plan: Plan) => Value): Readonly<Record<Plan, Value>> {
  const table: Partial<Record<Plan, Value>> = {}
  for (const plan of PLANS) table[plan] = make(plan)
  if (!isWhole(table)) throw new Error('every plan has a value')
  return table
}

function isWhole<Value>(table: Partial<Record<Plan, Value>>): table is Record<Plan, Value> {
  return PLANS.every((plan) => plan in table)
}
