// `quai keys create | list | revoke`.

import { READ_SCOPE } from '../access/key-ring.ts'
import type { Config } from '../config/config.ts'
import { isPlan, PLANS } from '../plans/plans.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { closestWord } from '../system/closest-word.ts'
import { withAccounts } from './account-access.ts'
import { type CommandIo, toTable } from './command-io.ts'
import { toPrintable, toPrintableJson, toPrintableRows } from './printable.ts'

/** The words of `quai keys create`. */
export interface KeysCreateOptions {
  readonly account: string
  /** Needed for a new account only. */
  readonly plan?: string | undefined
  readonly name: string
  /** Comma list; `transit:read` where absent. */
  readonly scope?: string | undefined
  /** YYYY-MM-DD, through that day (UTC), or an RFC 3339 instant. */
  readonly expires?: string | undefined
}

/** Exit status where the command line can't be understood. */
export const USAGE = 2

const DAY = /^\d{4}-\d{2}-\d{2}$/
const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/
const DAY_MILLIS = 86_400_000

/** Makes a key; prints it, and only it, on stdout. */
export async function runKeysCreate(config: Config, options: KeysCreateOptions, io: CommandIo): Promise<number> {
  const { plan } = options
  if (plan !== undefined && !isPlan(plan)) return refuseWords(io, unknownPlan(plan))
  const expiresAtMillis = options.expires === undefined ? null : parseExpiry(options.expires)
  if (expiresAtMillis === undefined) {
    return refuseWords(
      io,
      `--expires is "${options.expires}"; expected a day (2027-01-31) or an instant with an offset`,
    )
  }
  if (expiresAtMillis !== null && expiresAtMillis <= TRUE_CLOCK.nowMillis()) {
    return refuseWords(io, `--expires is "${options.expires}", which has passed; expected a later day or instant`)
  }
  const scopes = (options.scope ?? READ_SCOPE).split(',').map((scope) => scope.trim())
  return withAccounts(config, io, async (operations) => {
    const { account, name } = options
    const made = await operations.createKey({ email: account, plan, name, scopes, expiresAtMillis })
    const { listing } = made
    if (made.isNewAccount) io.stderr(`account ${listing.account} on the plan ${made.plan}\n`)
    io.stderr(`key ${listing.id} "${toPrintable(listing.name)}" for ${listing.audience}, ${listing.scopes.join(' ')}, `)
    io.stderr(listing.expires_at === null ? 'without end\n' : `until ${listing.expires_at}\n`)
    io.stderr('it is shown this once:\n')
    io.stdout(`${made.key}\n`)
    return 0
  })
}

/** Lists all keys; none of them can be read back. */
export async function runKeysList(config: Config, options: { json?: boolean }, io: CommandIo): Promise<number> {
  return withAccounts(config, io, async (operations) => {
    const keys = await operations.listKeys({})
    if (options.json === true) {
      io.stdout(`${toPrintableJson(keys)}\n`)
      return 0
    }
    const rows = keys.map((key) => [
      key.id,
      key.account ?? '(deleted)',
      key.name,
      `${key.prefix}…${key.last_four}`,
      key.state,
      key.expires_at ?? 'never',
    ])
    io.stdout(toTable(['ID', 'ACCOUNT', 'NAME', 'KEY', 'STATE', 'EXPIRES'], toPrintableRows(rows)))
    return 0
  })
}

/** Revokes a key: it fails at the next request. */
export async function runKeysRevoke(config: Config, options: { id: string }, io: CommandIo): Promise<number> {
  return withAccounts(config, io, async (operations) => {
    const key = await operations.revokeKey({ id: options.id })
    io.stderr(`key ${key.id} "${toPrintable(key.name)}" is revoked since ${key.revoked_at}\n`)
    return 0
  })
}

/** First instant at which a key with this expiry no longer works; undefined where the text is no date. */
export function parseExpiry(text: string): number | undefined {
  if (DAY.test(text)) {
    const start = Date.parse(`${text}T00:00:00Z`)
    const isReal = !Number.isNaN(start) && new Date(start).toISOString().startsWith(text)
    return isReal ? start + DAY_MILLIS : undefined
  }
  const millis = INSTANT.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(millis) ? undefined : millis
}

/** What to say of a word that names no plan. */
export function unknownPlan(word: string): string {
  const closest = closestWord(word, PLANS)
  return `"${word}" is no plan; ${closest === undefined ? '' : `did you mean ${closest}? `}there are ${PLANS.join(', ')}`
}

function refuseWords(io: CommandIo, message: string): number {
  io.stderr(`quai: ${message}\n`)
  return USAGE
}
