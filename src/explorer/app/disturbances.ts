// Shares the chosen network's alerts with all panels, and decides which alerts explain a late or missing departure.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { serviceNow } from './api-client.ts'
import type { Alert } from './contract.ts'
import { toWords } from './formats.ts'
import { texts } from './texts/texts.ts'

const AlertsContext = createContext<readonly Alert[]>([])

/** Provides the alerts of the network to the panels. */
export const AlertsProvider = AlertsContext.Provider

/** Effects of alerts that make vehicles late or missing. */
const DELAYING: ReadonlySet<string> = new Set([
  'no_service',
  'reduced_service',
  'significant_delays',
  'detour',
  'modified_service',
  'other_effect',
  'unknown_effect',
])

const UNSAID: ReadonlySet<string> = new Set(['unknown_cause', 'other_cause'])

/** The active alerts of the chosen network; empty until they are loaded. */
export function useNetworkAlerts(): readonly Alert[] {
  return useContext(AlertsContext)
}

/** Whether an alert can explain why vehicles are late or missing now. */
export function isDisturbance({ effect, starts_at }: Alert): boolean {
  return DELAYING.has(effect) && (starts_at === null || Date.parse(starts_at) <= serviceNow())
}

/**
 * Whether an alert is shown next to a departure. An alert with the effect "no service" is shown only next to canceled
 * or skipped departures, because other departures of the line may run.
 */
export function disturbs(
  { line_ids, effect }: Pick<Alert, 'line_ids' | 'effect'>,
  departure: { readonly lineId: string; readonly isOff: boolean },
): boolean {
  return line_ids.includes(departure.lineId) && (effect !== 'no_service' || departure.isOff)
}

/** The cause of an alert in one or two words; its effect if the alert states no cause. */
export function reasonOf({ cause, effect }: Alert): string {
  return causeOf(cause) ?? texts().effects[effect] ?? toWords(effect)
}

/** The name of an alert's cause in the current language; undefined if the cause is unknown or "other". */
export function causeOf(cause: string): string | undefined {
  return UNSAID.has(cause) ? undefined : (texts().causes[cause] ?? toWords(cause))
}
