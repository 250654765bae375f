// The pepper is the secret with which keys are hashed. It is in a file of its own (mode 0600, not included in Quai's
// backups), so that a stolen database is useless. Each line of the file has one pepper: `<pepper id> <64 hexadecimal
// digits>`. New keys are hashed with the first pepper.
import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** A secret for hashing keys. */
export interface Pepper {
  /** The pepper's id. It is stored with each digest, so that two peppers can be used during a rotation. */
  readonly id: string
  /** 32 bytes. */
  readonly secret: Uint8Array
}

/** Maximum number of peppers: a new one and the one that it replaces. */
const LIVE_PEPPERS = 2
const SECRET_BYTES = 32
const ID_BYTES = 4
const NOTE =
  '# The secret with which Quai hashes API keys: without it, no key works. Back it up, but not next to the database.\n'
const PEPPER_LINE = /^([0-9A-Za-z_-]{1,32}) ([0-9a-f]{64})$/

/** Thrown if the pepper file is unusable, or if it is missing although stored keys depend on it. */
export class PepperUnavailable extends Error {
  override readonly name = 'PepperUnavailable'
}

/**
 * Computes the HMAC-SHA-256 of keys with one pepper. The HMAC state is prepared once; each digest copies it and hashes
 * the key.
 */
export class KeyHasher {
  readonly pepperId: string
  private readonly keyed: Bun.CryptoHasher

  constructor(pepper: Pepper) {
    this.pepperId = pepper.id
    this.keyed = new Bun.CryptoHasher('sha256', pepper.secret)
  }

  /** The digest of a key's text: 32 bytes. */
  digest(key: string): Uint8Array {
    return this.keyed.copy().update(key).digest()
  }
}

/** Derives a secret for another purpose from a pepper. The derived secret reveals nothing about the pepper. */
export function deriveSecret(pepper: Pepper, purpose: string): Uint8Array {
  return new Bun.CryptoHasher('sha256', pepper.secret).update(`quai ${purpose}`).digest()
}

/**
 * Loads the peppers from a file, the one for new keys first. Creates a missing file only if no keys are stored, because
 * stored keys could never be checked with a new pepper.
 */
export function loadPeppers(path: string, usedPepperIds: ReadonlySet<string>): Pepper[] {
  if (!existsSync(path)) {
    if (usedPepperIds.size > 0) {
      throw new PepperUnavailable(
        `the pepper file ${path} is missing, so stored keys cannot be checked; restore the file, or set pepper_file to its path`,
      )
    }
    makePepperFile(path, NOTE)
  }
  const peppers = parsePeppers(readFileSync(path, 'utf8'), path)
  for (const id of usedPepperIds) {
    if (peppers.some((pepper) => pepper.id === id)) continue
    throw new PepperUnavailable(
      `the pepper file ${path} has no pepper "${id}", which stored keys were hashed with; restore the file from a backup`,
    )
  }
  return peppers
}

/** Parses a pepper file; `#` starts a comment line. */
export function parsePeppers(text: string, path: string): Pepper[] {
  const peppers: Pepper[] = []
  for (const [at, line] of text.split('\n').entries()) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const match = PEPPER_LINE.exec(trimmed)
    const [, id, secret] = match ?? []
    if (id === undefined || secret === undefined) {
      throw new PepperUnavailable(`${path}:${at + 1} must be a pepper id, a space and 64 hexadecimal digits`)
    }
    if (peppers.some((pepper) => pepper.id === id)) {
      throw new PepperUnavailable(`${path}:${at + 1} repeats the pepper id "${id}", which is already in the file`)
    }
    peppers.push({ id, secret: Uint8Array.fromHex(secret) })
  }
  if (peppers.length === 0) throw new PepperUnavailable(`the pepper file ${path} is empty`)
  if (peppers.length > LIVE_PEPPERS) {
    throw new PepperUnavailable(`${path} has ${peppers.length} peppers; expected at most ${LIVE_PEPPERS}`)
  }
  return peppers
}

/** Creates a file with a new pepper. Throws if the file already exists. */
export function makePepperFile(path: string, note = ''): void {
  mkdirSync(dirname(path), { recursive: true })
  const id = crypto.getRandomValues(new Uint8Array(ID_BYTES)).toHex()
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toHex()
  const file = openSync(path, 'wx', 0o600)
  try {
    chmodSync(path, 0o600)
    writeSync(file, `${note}${id} ${secret}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
