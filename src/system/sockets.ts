// Looks up this process's connections by file descriptor: the peer of each connection, and how much the peer has sent.
// The HTTP server does not provide this, so the data is read through the C library, and only when file descriptors run
// out.
import { dlopen, ptr } from 'bun:ffi'

/** A connection of this process, as the kernel describes it. */
export interface OpenSocket {
  readonly descriptor: number
  readonly nearPort: number
  readonly farAddress: string
  /** Bytes received. */
  readonly receivedBytes: number
  /** Bytes sent and acknowledged. */
  readonly sentBytes: number
  /** Milliseconds since data last arrived. */
  readonly quietMillis: number
}

const [IPPROTO_TCP, TCP_INFO, SHUT_RDWR] = [6, 11, 2]
const [AF_INET, AF_INET6] = [2, 10]
const ESTABLISHED = 1
/** Offsets of members in struct tcp_info: tcpi_state, tcpi_last_data_recv, tcpi_bytes_acked and tcpi_bytes_received. */
const INFO = { state: 0, lastReceived: 52, acked: 120, received: 128, end: 136, bytes: 256 }
/** Offsets of members in struct sockaddr_in6. The first members of struct sockaddr_in have the same offsets. */
const ADDRESS = { port: 2, ipv4: 4, ipv6: 8, bytes: 28 }
/** Prefix of an IPv4-mapped IPv6 address. */
const MAPPED_START = '0:0:0:0:0:ffff:'

const NAME_CALL = { args: ['i32', 'ptr', 'ptr'], returns: 'i32' } as const
const CALLS = {
  getsockname: NAME_CALL,
  getpeername: NAME_CALL,
  getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  shutdown: { args: ['i32', 'i32'], returns: 'i32' },
} as const

/** Finds and closes connections. The constructor throws if the C library cannot be called. */
export class Sockets {
  private readonly calls = dlopen('libc.so.6', CALLS).symbols
  private readonly address = new DataView(new ArrayBuffer(ADDRESS.bytes))
  private readonly info = new DataView(new ArrayBuffer(INFO.bytes))
  private readonly length = new Uint32Array(1)

  /** The connection behind a file descriptor; undefined if there is no established connection. */
  find(descriptor: number): OpenSocket | undefined {
    const near = this.name('getsockname', descriptor)
    if (near === undefined) return undefined
    const { info, length } = this
    length[0] = INFO.bytes
    if (this.calls.getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, ptr(info), ptr(length)) !== 0) return undefined
    if (length[0] < INFO.end || info.getUint8(INFO.state) !== ESTABLISHED) return undefined
    const [receivedBytes, sentBytes] = [info.getBigUint64(INFO.received, true), info.getBigUint64(INFO.acked, true)]
    const quietMillis = info.getUint32(INFO.lastReceived, true)
    const far = this.name('getpeername', descriptor)
    if (far === undefined) return undefined
    return {
      descriptor,
      nearPort: near.port,
      farAddress: far.address,
      receivedBytes: Number(receivedBytes),
      sentBytes: Number(sentBytes),
      quietMillis,
    }
  }

  /**
   * Shuts a connection down in both directions. The HTTP server then sees a disconnected client and closes the
   * descriptor.
   */
  end({ descriptor }: OpenSocket): void {
    this.calls.shutdown(descriptor, SHUT_RDWR)
  }

  private name(call: 'getsockname' | 'getpeername', descriptor: number): { address: string; port: number } | undefined {
    const { address, length } = this
    length[0] = ADDRESS.bytes
    if (this.calls[call](descriptor, ptr(address), ptr(length)) !== 0) return undefined
    const family = address.getUint16(0, true)
    if (family !== AF_INET && family !== AF_INET6) return undefined
    return {
      address: family === AF_INET ? this.ipv4At(ADDRESS.ipv4) : this.ipv6(),
      port: address.getUint16(ADDRESS.port),
    }
  }

  private ipv4At(at: number): string {
    return [0, 1, 2, 3].map((byte) => this.address.getUint8(at + byte)).join('.')
  }

  private ipv6(): string {
    const groups = [0, 2, 4, 6, 8, 10, 12, 14].map((at) => this.address.getUint16(ADDRESS.ipv6 + at).toString(16))
    const text = groups.join(':')
    return text.startsWith(MAPPED_START) ? this.ipv4At(ADDRESS.ipv6 + 12) : text
  }
}
