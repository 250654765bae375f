// Describes an account event in a sentence.
import type { AccountEvent } from './contract.ts'
import { toAmount, toMonth, toPlanName } from './formats.ts'
import { texts } from './texts/texts.ts'

/** Returns a sentence about the event. It mentions the operator if the operator acted. `names`: key id → current name. */
export function eventSentence(event: AccountEvent, names: ReadonlyMap<string, string>): string {
  const sentence = whatHappened(event, names)
  return event.actor === 'operator' ? texts().events.byOperator(sentence) : sentence
}

function whatHappened(event: AccountEvent, names: ReadonlyMap<string, string>): string {
  const { detail } = event
  const { events } = texts()
  const key = keyName(event, names)
  switch (event.kind) {
    case 'key_created':
      return events.keyCreated(key)
    case 'key_renamed': {
      const [from, to] = [textOf(detail['from']), textOf(detail['to'])]
      return from === undefined || to === undefined ? events.keyRenamed(key) : events.keyRenamedTo(from, to)
    }
    case 'key_revoked':
      return events.keyRevoked(key)
    case 'plan_changed': {
      const to = textOf(detail['to'])
      return to === undefined ? events.planChanged : events.planChangedTo(toPlanName(to))
    }
    case 'overage_changed':
      return overageSentence(detail)
    case 'statement_closed': {
      const month = textOf(detail['month'])
      return month === undefined ? events.statementClosed : events.statementClosedFor(toMonth(month))
    }
    case 'logged_in':
    case 'log_in_failed':
    case 'sessions_ended':
      return logInSentence(event)
    case 'late_usage_billed':
    case 'late_usage_waived':
      return lateSentence(event)
    default:
      return simpleSentence(event.kind)
  }
}

/** The sentence for an event whose details are not mentioned. */
function simpleSentence(kind: AccountEvent['kind']): string {
  const { suspended, resumed, deleted, signedUp, verified, passwordChanged, ...more } = texts().events
  const known: Readonly<Partial<Record<AccountEvent['kind'], string>>> = {
    suspended,
    resumed,
    deleted,
    signed_up: signedUp,
    verified,
    password_changed: passwordChanged,
    email_change_requested: more.emailChangeRequested,
    email_changed: more.emailChanged,
    passkey_added: more.passkeyAdded,
    passkey_removed: more.passkeyRemoved,
    factor_enabled: more.factorEnabled,
    factor_disabled: more.factorDisabled,
    recovery_codes_replaced: more.recoveryCodesReplaced,
    recovery_code_used: more.recoveryCodeUsed,
  }
  const words = kind.replaceAll('_', ' ')
  return known[kind] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

/** The sentence for a login, a failed login, or ended sessions. */
function logInSentence({ kind, detail }: AccountEvent): string {
  const { events, security } = texts()
  const named = textOf(detail['device'])
  const device = named === undefined ? undefined : security.device(named)
  if (kind === 'sessions_ended') return detail['ended'] === 'others' ? events.othersEnded : events.sessionsEnded
  if (kind === 'logged_in') return device === undefined ? events.loggedIn : events.loggedInWith(device)
  if (detail['wrong'] === 'present_password')
    return device === undefined ? events.presentPasswordWrong : events.presentPasswordWrongOn(device)
  const why = whyFailed(detail['wrong'])
  return device === undefined ? events.logInFailed(why) : events.logInFailedOn(why, device)
}

function whyFailed(wrong: unknown): string {
  const { wrongPassword, wrongCode, passkeyRefused } = texts().events
  return wrong === 'code' ? wrongCode : wrong === 'passkey' ? passkeyRefused : wrongPassword
}

function lateSentence({ kind, detail }: AccountEvent): string {
  const { events, units } = texts()
  const [month, count] = [textOf(detail['month']), detail['units']]
  const isBilled = kind === 'late_usage_billed'
  if (month === undefined || typeof count !== 'number') return isBilled ? events.lateBilled : events.lateWaived
  return (isBilled ? events.lateBilledFor : events.lateWaivedFor)(toMonth(month), units(count))
}

function overageSentence(detail: AccountEvent['detail']): string {
  const { events } = texts()
  const isEnabled = detail['overage_enabled']
  const cap = detail['spend_cap_cents']
  const isOn = typeof isEnabled === 'boolean' ? isEnabled : undefined
  const amount = typeof cap === 'number' ? toAmount(cap) : undefined
  if (isOn !== undefined && amount !== undefined) return (isOn ? events.overageOnWith : events.overageOffWith)(amount)
  if (isOn !== undefined) return isOn ? events.overageOn : events.overageOff
  return amount === undefined ? events.overageChanged : events.capSet(amount)
}

/**
 * The key's name in quotation marks: the name at the time of the event if it is known, otherwise the current name.
 * Empty if neither is known.
 */
function keyName(event: AccountEvent, names: ReadonlyMap<string, string>): string {
  const name = textOf(event.detail['name']) ?? (event.key_id === null ? undefined : names.get(event.key_id))
  return name === undefined ? '' : texts().quoted(name)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
