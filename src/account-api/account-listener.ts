// The account port of a running service: its server, its emails, and their shutdown order.

import assert from 'node:assert'
import { AddressLimits, startAddressLimits } from '../access/address-limits.ts'
import { TrustedProxies } from '../access/client-address.ts'
import type { Forwarder } from '../access/untrusted-forwarders.ts'
import type { WatchedListener } from '../access/watched-listener.ts'
import type { AccountsService } from '../accounts/accounts-service.ts'
import type { Config } from '../config/config.ts'
import { closeConnections } from '../http/closing-connections.ts'
import { serverTls } from '../http/server-tls.ts'
import type { Offers } from '../plans/offers.ts'
import { type Clock, TRUE_CLOCK } from '../system/clock.ts'
import { openLog } from '../system/log.ts'
import { PortUnavailable } from '../system/ports.ts'
import type { AccountAddresses, AccountApi } from './account-api.ts'
import { logEvent } from './event-log.ts'
import { Identity } from './identity.ts'
import { MailQueue, openMailer } from './mailer.ts'
import type { PasswordCost } from './password-hasher.ts'
import { SavedTries } from './saved-tries.ts'
import { createAccountServer } from './server.ts'
import { TRY_LIMITS, Tries } from './tries.ts'

/** Idle connections are closed after this time; a partial request doesn't reset the timer. */
const IDLE_TIMEOUT_SECONDS = 10
/** Bun's server cuts off bodies above this size, which is larger than any body that the API accepts. */
const SERVER_BODY_LIMIT_BYTES = 64 * 1024
/** How long the shutdown waits for pending responses. */
const STOP_MILLIS = 2_000

/** Options of the listener. */
export interface AccountListenerOptions {
  /** Prints emails if no mail server is configured. */
  print(text: string): void
  /** Called if an email can't be sent, or if the file of attempt counts can't be read or written. */
  onProblem(message: string): void
  /** Called for each forwarding header from an untrusted address. */
  onUntrusted?(forwarder: Forwarder): void
  /** The system clock by default; replaced only in tests. */
  readonly clock?: Clock
  /** Cost of a password hash; the default if absent. */
  readonly passwordCost?: PasswordCost
}

/** An open account port. */
export interface AccountListener extends WatchedListener {
  readonly port: number
  readonly api: AccountApi
  /** Replaces the list of trusted proxies. */
  trust(proxies: readonly string[]): void
  /** Replaces the plans and prices that the console shows. */
  offer(offers: Offers): void
  /** Makes clients reconnect elsewhere: each connection closes after its next response. */
  closeConnections(): void
  /** Finishes pending responses and emails. */
  close(): Promise<void>
}

/** Opens the configured account port. Throws if the port is already in use. */
export function openAccountListener(
  config: Config,
  accounts: AccountsService,
  options: AccountListenerOptions,
): AccountListener {
  const clock = options.clock ?? TRUE_CLOCK
  const opened = { port: config.accountPort }
  const addresses = addressesOf(config, opened)
  const mails = new MailQueue(openMailer(config.mail, options.print), options.onProblem)
  const api = makeApi(config, accounts, { ...options, clock, addresses, mails })
  const saved = new SavedTries(config.dataDir, options.onProblem)
  saved.load(api.identity.tries.logIns.strangers)
  accounts.fleet?.shareTries({ ...api.identity.tries.all, changes: api.changes })
  const app = createAccountServer(api)
  const { bind, accountPort, tls } = config
  const listen = (port: number) => {
    try {
      app.listen({
        hostname: bind,
        port,
        // By default, Elysia lets Bun share the port silently, even with another service.
        reusePort: false,
        idleTimeout: IDLE_TIMEOUT_SECONDS,
        maxRequestBodySize: SERVER_BODY_LIMIT_BYTES,
        development: false,
        ...serverTls(tls),
      })
    } catch (error) {
      throw new PortUnavailable('the account API', { hostname: bind, port, setting: 'account_port' }, error)
    }
  }
  listen(accountPort)
  opened.port = app.server?.port ?? accountPort
  return {
    port: opened.port,
    api,
    offer(offers) {
      api.offers.current = offers
    },
    trust(proxies) {
      api.proxies.replace(proxies)
      api.limits.trust(proxies)
    },
    closeConnections: () => closeConnections(app),
    turnAway: (connections) => api.limits.crowd.replace(connections),
    closeIdle: () => void app.server?.closeIdleConnections(),
    pause: async () => void app.server?.stop(),
    resume: async () => listen(opened.port),
    async close() {
      await Promise.race([app.server?.stop(), Bun.sleep(STOP_MILLIS)])
      await app.server?.stop(true)
      saved.save(api.identity.tries.logIns.strangers)
      await mails.close()
    },
  }
}

/** Builds the dependencies of the account API's routes. */
function makeApi(
  config: Config,
  accounts: AccountsService,
  options: AccountListenerOptions & {
    readonly clock: Clock
    readonly addresses: AccountAddresses
    readonly mails: MailQueue
  },
): AccountApi {
  const { clock, addresses, mails } = options
  const [triesKey] = accounts.deriveSecrets('tries')
  assert(triesKey !== undefined, 'no secret can be derived, because no pepper is loaded')
  const logger = openLog('account')
  return {
    accounts,
    identity: new Identity({
      accounts,
      mails,
      addresses,
      clock,
      passwordCost: options.passwordCost,
      triesKey,
      noteEvent: (event, client) => logEvent(logger, event, client),
    }),
    addresses,
    offers: { current: config.offers },
    audience: config.audience,
    proxies: new TrustedProxies(config.trustedProxies),
    limits: new AddressLimits(startAddressLimits(config.trustedProxies), clock, options.onUntrusted),
    changes: new Tries(clock, TRY_LIMITS.change, triesKey),
    clock,
    logger,
  }
}

/** The configured addresses. If the configured port is 0, the addresses contain the actual port once it is open. */
function addressesOf(config: Config, opened: { readonly port: number }): AccountAddresses {
  const withPort = (address: string) => address.replace(/:0$/, () => `:${opened.port}`)
  return {
    baseUrl: config.baseUrl,
    get accountUrl() {
      return withPort(config.accountUrl)
    },
    get consoleUrl() {
      return withPort(config.accountConsoleUrl)
    },
    explorerUrl: config.explorerUrl,
  }
}
