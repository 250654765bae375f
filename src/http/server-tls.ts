// TLS on the server's ports: version 1.3, and version 1.2 with forward-secret ciphers only. Clients that offer HTTP/2
// (ALPN) get HTTP/2, so that a browser can have all its streams on one connection. With HTTP/1.1, each stream needs its
// own connection, and browsers open at most six connections per origin.

/** Paths of a certificate and its key. */
export interface TlsFiles {
  readonly certFile: string
  readonly keyFile: string
}

/** The ciphers allowed with TLS 1.2. TLS 1.3 needs no list, because all its ciphers have forward secrecy. */
const CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/** Returns the TLS options of a server; an empty object if `files` is undefined. */
export function serverTls(files: TlsFiles | undefined) {
  if (files === undefined) return {}
  return { tls: { cert: Bun.file(files.certFile), key: Bun.file(files.keyFile), ciphers: CIPHERS }, http2: true }
}
