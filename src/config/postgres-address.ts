// Parses `database_url`: the location of PostgreSQL, and a label without secrets.
import { userInfo } from 'node:os'

/** Connection settings. */
export interface PostgresAddress {
  readonly hostname: string
  readonly port: number
  /** Folder or path of a Unix socket, used instead of host and port. */
  readonly socketPath: string | undefined
  readonly username: string
  /** The password. Never print it. */
  readonly password: string
  readonly database: string
  readonly tls: TlsMode
  /** Host and database, to show in messages. */
  readonly label: string
}

const DEFAULT_PORT = 5_432
const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type TlsMode = (typeof TLS_MODES)[number]

/**
 * Parses an address. Returns a message if the address is invalid. The message quotes only parameter names, because other
 * parts of the address may be secret.
 */
export function parsePostgresAddress(text: string): PostgresAddress | { readonly problem: string } {
  const url = URL.parse(text)
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    return { problem: 'must be an address such as postgres://user:password@host:5432/database' }
  }
  const unknown = [...url.searchParams.keys()].filter((name) => !['sslmode', 'host'].includes(name))
  if (unknown.length > 0)
    return { problem: `has the parameter "${unknown[0]}"; only "sslmode" and "host" are supported` }
  const mode = url.searchParams.get('sslmode') ?? 'prefer'
  const tls = TLS_MODES.find((known) => known === mode)
  if (tls === undefined) return { problem: `has an unknown sslmode; expected one of ${TLS_MODES.join(', ')}` }
  const username = decode(url.username)
  const password = decode(url.password)
  const path = decode(url.pathname.slice(1))
  if (username === undefined || password === undefined || path === undefined) {
    return { problem: 'has a "%" that does not start an escape sequence; write "%25" instead' }
  }
  const host = url.searchParams.get('host')
  if (host !== null && !host.startsWith('/'))
    return { problem: 'has a parameter "host" that is not the path of a socket; the path must start with /' }
  const user = username === '' ? userInfo().username : username
  const database = path === '' ? user : path
  const hostname = url.hostname === '' ? 'localhost' : url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port)
  return {
    hostname,
    port,
    socketPath: host ?? undefined,
    username: user,
    password,
    database,
    tls,
    label: `${database} on ${host ?? `${url.hostname || 'localhost'}:${port}`}`,
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined // the caller reports the invalid encoding
  }
}
