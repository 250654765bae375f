// Time-based one-time passwords (RFC 6238), as all authenticator apps generate them: SHA-1, six digits, 30 seconds.
import { Secret, TOTP } from 'otpauth'

/** RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20
const PERIOD_SECONDS = 30
const DIGITS = 6
/**
 * Number of 30-second steps before the current step, and also after it, whose codes are accepted too. Clocks differ,
 * and typing takes time.
 */
const WINDOW_STEPS = 1
const ISSUER = 'Quai'

/** A new secret in base 32, the form that apps expect. */
export function makeTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32
}

/** The `otpauth:` URI that an app reads from a QR code. */
export function totpUri(secret: string, label: string): string {
  return totpOf(secret, label).toString()
}

/** The code that an app shows for this secret at this time. */
export function totpCode(secret: string, atMillis: number): string {
  return totpOf(secret, '').generate({ timestamp: atMillis })
}

/** The number of the 30-second step that a code belongs to; undefined if the code is wrong or too old. */
export function findTotpStep(secret: string, code: string, nowMillis: number): number | undefined {
  const shift = totpOf(secret, '').validate({ token: code, timestamp: nowMillis, window: WINDOW_STEPS })
  return shift === null ? undefined : Math.floor(nowMillis / (PERIOD_SECONDS * 1_000)) + shift
}

/** Whether a string has the form of a code. */
export function isTotpCode(text: string): boolean {
  return text.length === DIGITS && [...text].every((character) => character >= '0' && character <= '9')
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({
    issuer: ISSUER,
    label,
    algorithm: 'SHA1',
    digits: DIGITS,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  })
}
