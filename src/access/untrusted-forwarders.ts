// Addresses that send a forwarding header but are not in `trusted_proxies`. Such an address is either a proxy that was
// left out, whose clients all count as one address, or a client that writes the header itself.
import { countedAddress, isLocalAddress, TrustedProxies } from './client-address.ts'

/** An untrusted forwarder. */
export interface Forwarder {
  readonly address: string
  /** Name of the first forwarding header that this address sent, in its usual capitalization. */
  readonly header: string
}

/**
 * Maximum number of remembered addresses of each kind: local addresses, and all others. The two kinds are counted
 * separately, so that public addresses cannot crowd out a local proxy.
 */
const KEPT_OF_EACH = 8

/** Remembers the first few untrusted forwarders. */
export class UntrustedForwarders {
  private readonly found = new Map<string, Forwarder & { readonly isLocal: boolean }>()
  private readonly onNew: (forwarder: Forwarder) => void

  /** @param onNew called once per remembered address */
  constructor(onNew: (forwarder: Forwarder) => void) {
    this.onNew = onNew
  }

  /** Remembers an address, unless it is already remembered or KEPT_OF_EACH is reached. */
  note({ address, header }: Forwarder): void {
    const counted = countedAddress(address)
    if (this.found.has(counted)) return
    const isLocal = isLocalAddress(counted)
    const likes = [...this.found.values()].filter((one) => one.isLocal === isLocal)
    if (likes.length >= KEPT_OF_EACH) return
    this.found.set(counted, { address, header, isLocal })
    this.onNew({ address, header })
  }

  /** The addresses that are still not trusted, local ones first. */
  list(trustedProxies: readonly string[]): Forwarder[] {
    const trusted = new TrustedProxies(trustedProxies)
    return [...this.found.values()]
      .filter(({ address }) => !trusted.isTrusted(address))
      .sort((a, b) => Number(b.isLocal) - Number(a.isLocal))
      .map(({ address, header }) => ({ address, header }))
  }
}

/** Describes an untrusted forwarder for the operator. */
export function describeForwarder({ address, header }: Forwarder): string {
  return (
    `${address} sent ${header} but is not in trusted_proxies: the header was ignored, so all clients behind this address ` +
    `share its limits; if this address is your proxy, set trusted_proxies = ["${address}"]; otherwise, ignore this message`
  )
}
