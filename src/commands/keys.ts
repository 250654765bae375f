// `quai keys create | list | revoke`.

import { READ_SCOPE } from '../access/key-ring.ts'
import type { Config } from '../config/config.ts'
import { isPlan, PLANS } from '../plans/plans.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { closestWord } from '../system/closest-word.ts'
import { printUnconfirmed, withAccounts } from './account-access.ts'
import { type CommandIo, toTable } from './command-io.ts'
import { toPrintable, toPrintableJson, toPrintableRows } from './printable.ts'

/** Options of `quai keys create`. */
export interface KeysCreateOptions {
  readonly account: string
  /** Only needed for a new account. */
  readonly plan?: string | undefined
  readonly name: string
  /** Comma-separated; `transit:read` if absent. */
  readonly scope?: string | undefined
  /** YYYY-MM-DD, valid through that day (UTC), or an RFC 3339 timestamp. */
  readonly expires?: string | undefined
}

/** Exit status for an invalid command line. */
export const USAGE = 2

const DAY = /^\d{4}-\d{2}-\d{2}$/
const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/
const DAY_MILLIS = 86_400_000

/** Creates a key and prints only the key on stdout. */
export async function runKeysCreate(config: Config, options: KeysCreateOptions, io: CommandIo): Promise<number> {
  const { plan } = options
  if (plan !== undefined && !isPlan(plan)) return refuseWords(io, unknownPlan(plan))
  const expiresAtMillis = options.expires === undefined ? null : parseExpiry(options.expires)
  if (expiresAtMillis === undefined) {
    return refuseWords(
      io,
      `--expires is "${options.expires}"; expected a day such as 2027-01-31, or an RFC 3339 timestamp with an offset`,
    )
  }
  if (expiresAtMillis !== null && expiresAtMillis <= TRUE_CLOCK.nowMillis()) {
    return refuseWords(io, `--expires is "${options.expires}", which is in the past; expected a later day or timestamp`)
  }
  const scopes = (options.scope ?? READ_SCOPE).split(',').map((scope) => scope.trim())
  return withAccounts(config, io, async (operations) => {
    const { account, name } = options
    const made = await operations.createKey({ email: account, plan, name, scopes, expiresAtMillis })
    const { listing } = made
    if (made.isNewAccount) io.stderr(`created account ${listing.account} on the ${made.plan} plan\n`)
    io.stderr(`created key ${listing.id} "${toPrintable(listing.name)}" for ${listing.audience}; `)
    io.stderr(`scopes: ${listing.scopes.join(', ')}; expires: ${listing.expires_at ?? 'never'}\n`)
    printUnconfirmed(made, io)
    io.stderr('this key is shown only once:\n')
    io.stdout(`${made.key}\n`)
    return 0
  })
}

/** Lists all keys, without their secrets. */
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

/** Revokes a key: requests with it fail from now on. */
export async function runKeysRevoke(config: Config, options: { id: string }, io: CommandIo): Promise<number> {
  return withAccounts(config, io, async (operations) => {
    const key = await operations.revokeKey({ id: options.id })
    io.stderr(`key ${key.id} "${toPrintable(key.name)}" was revoked at ${key.revoked_at}\n`)
    printUnconfirmed(key, io)
    return 0
  })
}

/** The first instant at which the key no longer works; undefined if `text` is neither a date nor a timestamp. */
export function parseExpiry(text: string): number | undefined {
  if (DAY.test(text)) {
    const start = Date.parse(`${text}T00:00:00Z`)
    const isReal = !Number.isNaN(start) && new Date(start).toISOString().startsWith(text)
    return isReal ? start + DAY_MILLIS : undefined
  }
  const millis = INSTANT.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(millis) ? undefined : millis
}

/** The error for an unknown plan. */
export function unknownPlan(word: string): string {
  const closest = closestWord(word, PLANS)
  return `"${word}" is not a plan; ${closest === undefined ? '' : `did you mean ${closest}? `}expected one of ${PLANS.join(', ')}`
}

function refuseWords(io: CommandIo, message: string): number {
  io.stderr(`quai: ${message}\n`)
  return USAGE
}
