// Runs the checks of `quai doctor` concurrently, each with a deadline. A check that crashes is reported as a fault.

/** The deadline of each check. It is long enough for slow networks and databases. */
const DEADLINE_MILLIS = 20_000

/**
 * The result of a check. `warning`: the checked part works, but has a problem that the operator should fix. `fault`:
 * the checked part does not work.
 */
export interface Finding {
  /** The part that was checked, such as `port` or `mail`. */
  readonly part: string
  readonly state: 'ok' | 'warning' | 'fault'
  /** A sentence about the result. For warnings and faults, it includes the remedy. */
  readonly message: string
}

/** A check of one part of the service. */
export interface Check {
  readonly part: string
  /** Runs the check. If it throws, the result is a fault with the error's message. */
  run(): Promise<readonly Finding[]>
}

/** Runs checks concurrently, and returns their findings in the order of the checks. */
export async function runChecks(checks: readonly Check[], deadlineMillis = DEADLINE_MILLIS): Promise<Finding[]> {
  const found = await Promise.all(checks.map((check) => runOne(check, deadlineMillis)))
  return found.flat()
}

async function runOne({ part, run }: Check, deadlineMillis: number): Promise<readonly Finding[]> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`no response within ${deadlineMillis / 1_000} s`)),
    deadlineMillis,
  )
  try {
    return await Promise.race([run(), late.promise])
  } catch (error) {
    return [fault(part, error instanceof Error ? error.message : String(error))]
  } finally {
    clearTimeout(timer)
  }
}

export function ok(part: string, message: string): Finding {
  return { part, state: 'ok', message }
}

export function warning(part: string, message: string): Finding {
  return { part, state: 'warning', message }
}

export function fault(part: string, message: string): Finding {
  return { part, state: 'fault', message }
}
