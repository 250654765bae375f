// Describes an account event in a sentence.
import type { AccountEvent } from './contract.ts'
import { toAmount, toMonth, toPlanName } from './formats.ts'

/** Returns what happened, and whether the operator did it. `names` has the current names of keys by id. */
export function eventSentence(event: AccountEvent, names: ReadonlyMap<string, string>): string {
  const sentence = whatHappened(event, names)
  return event.actor === 'operator' ? `${sentence}, by the operator` : sentence
}

function whatHappened(event: AccountEvent, names: ReadonlyMap<string, string>): string {
  const { detail } = event
  const key = keyName(event, names)
  switch (event.kind) {
    case 'key_created':
      return `Key ${key} created`
    case 'key_renamed': {
      const [from, to] = [textOf(detail['from']), textOf(detail['to'])]
      return from === undefined || to === undefined ? `Key ${key} renamed` : `Key “${from}” renamed to “${to}”`
    }
    case 'key_revoked':
      return `Key ${key} revoked`
    case 'plan_changed': {
      const to = textOf(detail['to'])
      return to === undefined ? 'Plan changed' : `Plan changed to ${toPlanName(to)}`
    }
    case 'overage_changed':
      return overageSentence(detail)
    case 'suspended':
      return 'Account suspended'
    case 'resumed':
      return 'Account resumed'
    case 'signed_up':
      return 'Signed up'
    case 'verified':
      return 'E-mail address confirmed'
    case 'logged_in':
      return 'Logged in'
    case 'password_changed':
      return 'Password changed'
    case 'statement_closed': {
      const month = textOf(detail['month'])
      return month === undefined ? 'Statement closed' : `Statement for ${toMonth(month)} closed`
    }
    case 'late_usage_billed':
    case 'late_usage_waived': {
      const [month, units] = [textOf(detail['month']), detail['units']]
      const what = event.kind === 'late_usage_billed' ? 'added to this month' : 'waived'
      return month === undefined || typeof units !== 'number'
        ? `Late usage ${what}`
        : `Late usage of ${toMonth(month)} ${what}: ${units} units`
    }
    default: {
      const words = event.kind.replaceAll('_', ' ')
      return words.charAt(0).toUpperCase() + words.slice(1)
    }
  }
}

function overageSentence(detail: AccountEvent['detail']): string {
  const isEnabled = detail['overage_enabled']
  const cap = detail['spend_cap_cents']
  const isOn = typeof isEnabled === 'boolean' ? (isEnabled ? 'on' : 'off') : undefined
  const amount = typeof cap === 'number' ? toAmount(cap) : undefined
  if (isOn !== undefined && amount !== undefined) return `Overage ${isOn}, spend cap ${amount}`
  if (isOn !== undefined) return `Overage turned ${isOn}`
  return amount === undefined ? 'Overage changed' : `Spend cap set to ${amount}`
}

/** The key's name in the event, or its current name. */
function keyName(event: AccountEvent, names: ReadonlyMap<string, string>): string {
  const name = textOf(event.detail['name']) ?? (event.key_id === null ? undefined : names.get(event.key_id))
  return name === undefined ? '' : `“${name}”`
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
