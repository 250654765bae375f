// A passkey that belongs to nobody. A login attempt with an unknown passkey is checked against the public key of this
// passkey, so that it takes as long as an attempt with a known passkey. The private key is not stored.
import { generateKeyPairSync } from 'node:crypto'
import type { StoredPasskey } from '../accounts/passkey-store.ts'

/**
 * The bytes of a COSE key before x (RFC 9053), in CBOR: a map of five members with key type 2 (EC2), algorithm -7
 * (ES256) and curve 1 (P-256), then the label of x and its length (32 bytes).
 */
const COSE_HEAD = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]
/** The bytes before y: its label and its length (32 bytes). */
const COSE_Y = [0x22, 0x58, 0x20]

let publicKey: string | undefined

function makePublicKey(): string {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  const parts = [Buffer.from(COSE_HEAD), Buffer.from(x, 'base64url'), Buffer.from(COSE_Y), Buffer.from(y, 'base64url')]
  return Buffer.concat(parts).toString('base64url')
}

/**
 * The passkey to check in place of an unknown passkey.
 * @param id id of the unknown passkey
 */
export function decoyPasskey(id: string): Pick<StoredPasskey, 'id' | 'publicKey' | 'counter'> {
  publicKey ??= makePublicKey()
  return { id, publicKey, counter: 0 }
}
