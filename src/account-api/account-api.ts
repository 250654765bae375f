// Dependencies of every account API controller: accounts, sessions, clock and the relevant settings.

import type { AddressLimits, Peers } from '../access/address-limits.ts'
import type { TrustedProxies } from '../access/client-address.ts'
import type { AccountsService } from '../accounts/accounts-service.ts'
import type { Offers } from '../plans/offers.ts'
import type { Clock } from '../system/clock.ts'
import type { EventLogger } from '../system/log.ts'
import type { Identity } from './identity.ts'
import type { Tries } from './tries.ts'

/** The configured addresses, without trailing slashes. Request headers never change them. */
export interface AccountAddresses {
  /** Base URL of the data API. */
  readonly baseUrl: string
  /** URL of this API. */
  readonly accountUrl: string
  /** Base URL of the console. Links in emails start with it. */
  readonly consoleUrl: string
  /** URL of the explorer map; undefined if there is none. */
  readonly explorerUrl: string | undefined
}

/** Dependencies of the account API. */
export interface AccountApi {
  /** Accounts, keys and units. Controllers use `accounts.owners`: the operations that account owners can perform. */
  readonly accounts: AccountsService
  /** Passwords, sessions and links in emails. */
  readonly identity: Identity
  readonly addresses: AccountAddresses
  /** Plans and prices that the console shows. A reload of the configuration replaces them. */
  readonly offers: { current: Offers }
  /** The host for which new keys are valid. */
  readonly audience: string
  readonly proxies: TrustedProxies
  /** Request rate limit per client address, so that no client can saturate the control thread. */
  readonly limits: AddressLimits
  /** Counts recent changes to each account; see `countChange` in account-endpoint.ts. */
  readonly changes: Tries
  /** System time, never the replay clock. */
  readonly clock: Clock
  readonly logger: EventLogger
}

/** The part of Elysia's handler context that the account API uses. `params` are the decoded path parameters. */
export interface RouteContext {
  readonly request: Request
  readonly server: Peers | null
  readonly params?: Readonly<Record<string, string | undefined>>
}
