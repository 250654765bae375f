// The account plans and their defaults. To add a plan, change only PRESETS: settings, commands, schemas and pages are
// derived from it.

/** The limits that a plan sets for each account, and its overage price. */
export interface PlanSettings {
  /** Units included per calendar month (UTC). */
  readonly includedUnits: number
  /** Sustained requests per second; 0 for no limit. */
  readonly requestsPerSecond: number
  /** Maximum number of requests at once. */
  readonly burst: number
  /** Whether owners can turn on overage. */
  readonly overageAvailable: boolean
  /** Price of one overage unit in cents, as a decimal string. */
  readonly overageUnitAmountDecimal: string
}

/** The defaults for each plan, in the order in which plans are listed. */
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

/** The default settings and the fixed limits of a plan. */
interface PlanPreset extends PlanSettings {
  /** Maximum number of active keys per account. Not configurable. */
  readonly activeKeyLimit: number
}

/** A plan's name, as used in the settings, the API and the database. */
export type Plan = keyof typeof PRESETS

/** The settings of all plans, by name. */
export type PlanTable = Readonly<Record<Plan, PlanSettings>>

/** The names of all plans. */
export const PLANS: readonly Plan[] = Object.keys(PRESETS).filter(isPlan)

/** The default settings of all plans. */
export const DEFAULT_PLANS: PlanTable = PRESETS

/** Maximum number of active keys per account, by plan. */
export const ACTIVE_KEY_LIMITS: Readonly<Record<Plan, number>> = tableOfPlans((plan) => PRESETS[plan].activeKeyLimit)

/** Whether a string is a plan's name. */
export function isPlan(text: string): text is Plan {
  return Object.hasOwn(PRESETS, text)
}

/** Makes a record with one value for each plan. */
export function tableOfPlans<Value>(make: (plan: Plan) => Value): Readonly<Record<Plan, Value>> {
  const table: Partial<Record<Plan, Value>> = {}
  for (const plan of PLANS) table[plan] = make(plan)
  if (!isWhole(table)) {
    const missing = PLANS.filter((plan) => !(plan in table))
    throw new Error(`the table of plans has no value for ${missing.join(', ')}`)
  }
  return table
}

function isWhole<Value>(table: Partial<Record<Plan, Value>>): table is Record<Plan, Value> {
  return PLANS.every((plan) => plan in table)
}
