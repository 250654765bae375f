// Addresses that send a forwarding header and are not in `trusted_proxies`: a proxy that the settings forget, behind which all
// clients count as one address; or a client that writes the header itself.
import { countedAddress, isLocalAddress, TrustedProxies } from './client-address.ts'

/** Such an address. */
export interface Forwarder {
  readonly address: string
  /** The header that it sent first, as it is usually written. */
  readonly header: string
}

/** Addresses of each kind that are remembered, so that strangers cannot crowd out a proxy on a local network. */
const KEPT_OF_EACH = 8

/** The first of these addresses. */
export class UntrustedForwarders {
  private readonly found = new Map<string, Forwarder & { readonly isLocal: boolean }>()
  private readonly onNew: (forwarder: Forwarder) => void

  /** @param onNew called once for each address that is remembered */
  constructor(onNew: (forwarder: Forwarder) => void) {
    this.onNew = onNew
  }

  /** Remembers an address, unless it is known or there are too many. */
  note({ address, header }: Forwarder): void {
    const counted = countedAddress(address)
    if (this.found.has(counted)) return
    const isLocal = isLocalAddress(counted)
    const likes = [...this.found.values()].filter((one) => one.isLocal === isLocal)
    if (likes.length >= KEPT_OF_EACH) return
    this.found.set(counted, { address, header, isLocal })
    this.onNew({ address, header })
  }

  /** The addresses, local ones first, without those that are trusted meanwhile. */
  list(trustedProxies: readonly string[]): Forwarder[] {
    const trusted = new TrustedProxies(trustedProxies)
    return [...this.found.values()]
      .filter(({ address }) => !trusted.isTrusted(address))
      .sort((a, b) => Number(b.isLocal) - Number(a.isLocal))
      .map(({ address, header }) => ({ address, header }))
  }
}

/** What an operator reads of one. */
export function describeForwarder({ address, header }: Forwarder): string {
  return (
    `${address} sent ${header} but is not in trusted_proxies: the header was ignored, and everybody behind this address ` +
    `shares its limits; if it is your proxy, set trusted_proxies = ["${address}"], otherwise ignore this`
  )
}
