// The form of personal API keys. A key is shown only when it is created. Requests with a malformed key are refused
// before any lookup.
//
//   quai_p_ · 43 base62 characters, a secret of 256 bits · 6 base62 characters, the CRC-32 of these 43

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = 62
const SECRET_BYTES = 32
const SECRET_CHARACTERS = 43
const CHECKSUM_CHARACTERS = 6
/** How many of the secret's first characters are in the public prefix. Lists of keys show this prefix. */
const LEAD_CHARACTERS = 4
/** ASCII code → value of the base62 digit; NaN for other characters. */
const DIGIT_VALUES = Float64Array.from({ length: 128 }, (_, code) => {
  const value = ALPHABET.indexOf(String.fromCharCode(code))
  return value < 0 ? Number.NaN : value
})
const KEY_IN_TEXT = /quai_[ps]_[0-9A-Za-z]{20,}/g
const BASE62_TEXT = /^[0-9A-Za-z]+$/

/** Prefix of personal keys. */
const PERSONAL_KEY_PREFIX = 'quai_p_'
/** Prefix reserved for service tokens of organizations; none are issued in this version. */
const SERVICE_TOKEN_PREFIX = 'quai_s_'

const KEY_CHARACTERS = PERSONAL_KEY_PREFIX.length + SECRET_CHARACTERS + CHECKSUM_CHARACTERS
const CHECKSUM_AT = PERSONAL_KEY_PREFIX.length + SECRET_CHARACTERS

/** Creates a personal key. The returned string is the secret: it is shown once and never stored. */
export function makeApiKey(random: Uint8Array = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))): string {
  const secret = toBase62(BigInt(`0x${random.toHex()}`), SECRET_CHARACTERS)
  return PERSONAL_KEY_PREFIX + secret + checksum(secret)
}

/**
 * Whether a string has the form and checksum of a personal key. Whether the key exists is not checked here:
 * access/key-ring.ts looks it up.
 */
export function isApiKeyText(text: string): boolean {
  if (text.length !== KEY_CHARACTERS || !text.startsWith(PERSONAL_KEY_PREFIX)) return false
  const secret = text.slice(PERSONAL_KEY_PREFIX.length, CHECKSUM_AT)
  return BASE62_TEXT.test(text.slice(PERSONAL_KEY_PREFIX.length)) && readChecksum(text) === Bun.hash.crc32(secret)
}

/** Whether a string has the form of a service token. */
export function isServiceTokenText(text: string): boolean {
  return text.startsWith(SERVICE_TOKEN_PREFIX) && BASE62_TEXT.test(text.slice(SERVICE_TOKEN_PREFIX.length))
}

/** Shortens every key in a text to its public prefix. */
export function hideKeys(text: string): string {
  return text.replace(KEY_IN_TEXT, (key) => `${keyPrefix(key)}…`)
}

/** The public prefix of a key, to identify it. */
export function keyPrefix(key: string): string {
  return key.slice(0, PERSONAL_KEY_PREFIX.length + LEAD_CHARACTERS)
}

/** The last four characters of a key. They are part of the checksum, so they do not reveal the secret. */
export function keyLastFour(key: string): string {
  return key.slice(-4)
}

function checksum(secret: string): string {
  let rest = Bun.hash.crc32(secret)
  let text = ''
  for (let digit = 0; digit < CHECKSUM_CHARACTERS; digit++) {
    text = ALPHABET.charAt(rest % BASE) + text
    rest = Math.floor(rest / BASE)
  }
  return text
}

/** The checksum in the last six characters of a key; NaN if a character is not a base62 digit. */
function readChecksum(key: string): number {
  let value = 0
  for (let at = CHECKSUM_AT; at < KEY_CHARACTERS; at++) value = value * BASE + DIGIT_VALUES[key.charCodeAt(at) & 0x7f]
  return value
}

function toBase62(value: bigint, characters: number): string {
  let text = ''
  for (let rest = value; text.length < characters; rest /= 62n) text = ALPHABET.charAt(Number(rest % 62n)) + text
  return text
}
