// Passkeys in the browser: gets a challenge from the service, has the device sign it, and sends the result.
import { change, Refusal } from './account-client.ts'
import type { Passkey, Session } from './contract.ts'
import { OWN_REASON } from './refusal-words.ts'
import { texts } from './texts/texts.ts'

/** Creates a passkey on this device and adds it to the account. */
export async function addPasskey(name: string): Promise<void> {
  const { options } = await change<{ options: PublicKeyCredentialCreationOptionsJSON }>('POST', '/v1/passkeys/setups')
  const answer = await byDevice(async () =>
    navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
  )
  await change<Passkey>('POST', '/v1/passkeys', { name, answer })
}

/** Logs in with a passkey on this device. */
export async function logInWithPasskey(): Promise<Session> {
  const { options } = await change<{ options: PublicKeyCredentialRequestOptionsJSON }>('POST', '/v1/passkey-challenges')
  const answer = await byDevice(async () =>
    navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
  )
  return change<Session>('POST', '/v1/passkey-sessions', { answer })
}

/**
 * Returns the device's response to a challenge as JSON. Throws if the device has no passkey for this site, or if the
 * user cancels or fails the device's check. Also throws if the browser does not support passkeys, or cannot convert the
 * response to JSON (browsers before 2025).
 */
async function byDevice(request: () => Promise<Credential | null>): Promise<unknown> {
  let reason = 'NotSupportedError'
  try {
    const answer = await request()
    if (answer instanceof PublicKeyCredential) return answer.toJSON()
  } catch (error) {
    reason = error instanceof Error ? error.name : String(error)
  }
  throw new Refusal({ status: 0, reason: OWN_REASON, message: texts().security.passkeyFailed(reason) })
}
