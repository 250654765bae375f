// A passkey in software: creates and uses a P-256 credential like an authenticator (WebAuthn Level 3, "none"
// attestation).
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40

/** Values that make a response faulty, each in place of the correct one. */
export interface AnswerFaults {
  readonly origin?: string
  readonly flags?: number
  readonly counter?: number
  readonly type?: string
}

/** A passkey for one site. */
export class SoftPasskey {
  readonly id = randomBytes(16).toString('base64url')
  private readonly keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }
  private readonly site: { readonly id: string; readonly origin: string }
  private counter = 0

  constructor(site: { readonly id: string; readonly origin: string }) {
    this.site = site
    this.keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  }

  /** Responds to a challenge by creating the passkey. */
  make(challenge: string, faults: AnswerFaults = {}) {
    const data = this.authenticatorData(faults.flags ?? USER_PRESENT | USER_VERIFIED | HAS_CREDENTIAL, faults)
    const id = Buffer.from(this.id, 'base64url')
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.byteLength]), id, this.coseKey()])
    const whole = Buffer.concat([data, credential])
    // In CBOR: {fmt: "none", attStmt: {}, authData: bytes}
    const attestation = Buffer.concat([
      Buffer.from([0xa3, 0x63]),
      Buffer.from('fmt'),
      Buffer.from([0x64]),
      Buffer.from('none'),
      Buffer.from([0x67]),
      Buffer.from('attStmt'),
      Buffer.from([0xa0, 0x68]),
      Buffer.from('authData'),
      Buffer.from([0x58, whole.byteLength]),
      whole,
    ])
    return this.answer({
      clientDataJSON: this.clientData('webauthn.create', challenge, faults).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
    })
  }

  /** Responds to a challenge by using the passkey for a login. */
  use(challenge: string, faults: AnswerFaults = {}) {
    this.counter++
    const clientData = this.clientData('webauthn.get', challenge, faults)
    const data = this.authenticatorData(faults.flags ?? USER_PRESENT | USER_VERIFIED, faults)
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()])
    return this.answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.keys.privateKey).toString('base64url'),
    })
  }

  private answer<Response>(response: Response) {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response }
  }

  private clientData(type: string, challenge: string, faults: AnswerFaults): Buffer {
    const origin = faults.origin ?? this.site.origin
    return Buffer.from(JSON.stringify({ type: faults.type ?? type, challenge, origin, crossOrigin: false }))
  }

  private authenticatorData(flags: number, { counter = this.counter }: AnswerFaults): Buffer {
    const head = Buffer.alloc(37)
    createHash('sha256').update(this.site.id).digest().copy(head)
    head.writeUInt8(flags, 32)
    head.writeUInt32BE(counter, 33)
    return head
  }

  /** The public key in CBOR: {1: 2, 3: -7, -1: 1, -2: x, -3: y} */
  private coseKey(): Buffer {
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' })
    const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20])
    const between = Buffer.from([0x22, 0x58, 0x20])
    return Buffer.concat([head, Buffer.from(x, 'base64url'), between, Buffer.from(y, 'base64url')])
  }
}
