// A self-signed certificate for tests.
import { join } from 'node:path'

/**
 * Writes `cert.pem` and `key.pem` for a host name into a folder. The key is an RSA key, because ciphers without forward
 * secrecy need one. port-safety.test.ts checks that Quai does not use such ciphers.
 */
export function makeCertificate(folder: string, name: string): { certFile: string; keyFile: string } {
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', keyFile, '-out', certFile, '-days', '2']
  const named = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const made = Bun.spawnSync(['openssl', ...words, ...named])
  if (!made.success) throw new Error(`openssl created no certificate: ${made.stderr.toString()}`)
  return { certFile, keyFile }
}
