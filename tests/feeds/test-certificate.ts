// A certificate for tests, signed by itself.
import { join } from 'node:path'

/** Makes `cert.pem` and `key.pem` in a folder, for one name. RSA, so that ciphers without forward secrecy could be had. */
export function makeCertificate(folder: string, name: string): { certFile: string; keyFile: string } {
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', keyFile, '-out', certFile, '-days', '2']
  const named = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const made = Bun.spawnSync(['openssl', ...words, ...named])
  if (!made.success) throw new Error(`openssl made no certificate: ${made.stderr.toString()}`)
  return { certFile, keyFile }
}
