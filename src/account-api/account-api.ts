// What every controller of the account API is made with: accounts, sessions, clock, and what the settings say.
import type { AddressLimits, Peers } from '../access/address-limits.ts'
import type { TrustedProxies } from '../access/client-address.ts'
import type { AccountsService } from '../accounts/accounts-service.ts'
import type { Clock } from '../system/clock.ts'
import type { Logger } from '../system/log.ts'
import type { Identity } from './identity.ts'
import type { Tries } from './tries.ts'

/** The addresses a configuration gives, without a slash at their ends. No header of a request ever changes them. */
export interface AccountAddresses {
  /** Of the data API. */
  readonly baseUrl: string
  /** Of this API. */
  readonly accountUrl: string
  /** Where the console is reached. Links in mails begin with it. */
  readonly consoleUrl: string
  /** Of the explorer map; undefined where there is none. */
  readonly explorerUrl: string | undefined
}

/** The parts of the account API. */
export interface AccountApi {
  /** Accounts, keys and units; its `store` and `operations` are what controllers work with. */
  readonly accounts: AccountsService
  /** Passwords, sessions and links in mails. */
  readonly identity: Identity
  readonly addresses: AccountAddresses
  /** Host that keys are made for. */
  readonly audience: string
  readonly proxies: TrustedProxies
  /** How fast one address may ask, so that none keeps this thread from its work. */
  readonly limits: AddressLimits
  /** How often each account was renamed or rebilled lately. */
  readonly changes: Tries
  /** True time. */
  readonly clock: Clock
  readonly logger: Logger
}

/** What a handler of Elysia gives on. `params` are as they stand in the path, decoded. */
export interface Asked {
  readonly request: Request
  readonly server: Peers | null
  readonly params?: Readonly<Record<string, string | undefined>>
}
