// TLS of the ports: 1.3, and of 1.2 what keeps past conversations secret if the key is stolen later (forward secrecy).

/** A certificate and its key, as files. */
export interface TlsFiles {
  readonly certFile: string
  readonly keyFile: string
}

/** Of TLS 1.2; those of 1.3 all have forward secrecy. */
const CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/** What a server is told of TLS; nothing if there are no files. */
export function serverTls(files: TlsFiles | undefined) {
  if (files === undefined) return {}
  return { tls: { cert: Bun.file(files.certFile), key: Bun.file(files.keyFile), ciphers: CIPHERS } }
}
