// Reads the machine's TCP connections from the kernel's tables (/proc/net/tcp and tcp6). Systems other than Linux do
// not have these tables.
import { readFile } from 'node:fs/promises'
import { isErrno } from './errno.ts'

/** The peer of a connection. */
export interface FarEnd {
  /** In the form that the HTTP server's `requestIP` returns. An IPv4-mapped address is written as IPv4. */
  readonly address: string
  readonly port: number
}

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']
/** Codes of the connection states in which this process still has a descriptor: ESTABLISHED and CLOSE_WAIT. */
const OPEN_STATES: ReadonlySet<string> = new Set(['01', '08'])
/** Code of the state LISTEN, and the index of the field that contains a socket's inode number. */
const LISTENS = '0A'
const SOCKET_FIELD = 9
const MAPPED_START = '0000000000000000FFFF0000'
const FIELD_BREAK = / +/

/** The peers connected to these ports, in the order of the kernel's tables. */
export async function listConnections(ports: readonly number[]): Promise<FarEnd[]> {
  const texts = await Promise.all(TABLES.map(readTable))
  return texts.flatMap((text) => parseTcpTable(text, ports))
}

/** The inode numbers of the sockets that listen on a port; empty on systems other than Linux. */
export async function listListeners(port: number): Promise<string[]> {
  const texts = await Promise.all(TABLES.map(readTable))
  const near = `:${hexOf(port)}`
  const rows = texts.flatMap((text) => text.split('\n')).map((line) => line.trimStart().split(FIELD_BREAK))
  return rows.flatMap((row) => (row[1]?.endsWith(near) && row[3] === LISTENS ? [row[SOCKET_FIELD] ?? ''] : []))
}

function hexOf(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0')
}

async function readTable(path: string): Promise<string> {
  try {
    return await readFile(path, 'latin1')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return '' // the system has no IPv6 or is not Linux
    throw error
  }
}

/** The peers connected to these ports, according to the content of one kernel table. */
export function parseTcpTable(text: string, ports: readonly number[]): FarEnd[] {
  const nearPorts = new Set(ports.map(hexOf))
  const found: FarEnd[] = []
  for (const line of text.split('\n')) {
    const [, near = '', far = '', state = ''] = line.trimStart().split(FIELD_BREAK, 4)
    if (!OPEN_STATES.has(state) || !nearPorts.has(near.slice(near.indexOf(':') + 1))) continue
    const [address = '', port = ''] = far.split(':')
    found.push({ address: addressOf(address), port: Number.parseInt(port, 16) })
  }
  return found
}

/**
 * Converts an address from the kernel's tables to its usual notation. The tables contain addresses as hexadecimal
 * 32-bit words in this machine's byte order.
 */
function addressOf(hex: string): string {
  if (hex.length === 8) return ipv4Of(hex)
  if (hex.startsWith(MAPPED_START)) return ipv4Of(hex.slice(24))
  const groups = [0, 8, 16, 24].flatMap((at) => {
    const [a, b, c, d] = bytesOf(hex.slice(at, at + 8))
    return [`${a}${b}`, `${c}${d}`]
  })
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

function ipv4Of(hex: string): string {
  return bytesOf(hex)
    .map((byte) => Number.parseInt(byte, 16))
    .join('.')
}

/** The bytes of a word in network order. Reverses them, because all supported machines are little-endian. */
function bytesOf(word: string): [string, string, string, string] {
  return [word.slice(6, 8), word.slice(4, 6), word.slice(2, 4), word.slice(0, 2)]
}
