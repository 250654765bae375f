// Strings that are encrypted in the database because the service must be able to read them again: AES-256-GCM with a
// key derived from the pepper.
import { createCipheriv, createDecipheriv } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts a string.
 * @param about identifies the record that the string belongs to; decrypting requires the same value
 */
export function sealText(text: string, key: Uint8Array, about: string): string {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(about))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** Decrypts a string with the first key that works; undefined if none does. */
export function openText(sealed: string, keys: readonly Uint8Array[], about: string): string | undefined {
  for (const key of keys) {
    const text = tryOpen(Buffer.from(sealed, 'base64url'), key, about)
    if (text !== undefined) return text
  }
  return undefined
}

function tryOpen(bytes: Buffer, key: Uint8Array, about: string): string | undefined {
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  if (tag.byteLength < TAG_BYTES) return undefined
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(about)).setAuthTag(tag)
  const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined // encrypted with another key
  }
}
