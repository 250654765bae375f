// Hashes passwords with Argon2id on other threads, a few at a time. Each hash takes a core and memory, which requests
// to the data API also need.

/** Cost of one Argon2id hash. */
export interface PasswordCost {
  /** Kibibytes. */
  readonly memoryCost: number
  /** Number of passes over the memory. */
  readonly timeCost: number
}

/** OWASP's recommendation for Argon2id. */
const USUAL_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2 }
/** Maximum number of concurrent hashes. */
const AT_ONCE = 2
/** Maximum number of waiting hashes in each queue, `known` and `strangers`. 200 hashes take a few seconds. */
const WAITING_LIMIT = 200

/** Thrown if too many hashes are waiting. */
export class HashingOverloaded extends Error {
  override readonly name = 'HashingOverloaded'
}

/** Hashes and compares passwords. */
export class PasswordHasher {
  private readonly cost: PasswordCost
  /** The waiting hashes. Hashes for known browsers run first, so that strangers can't delay owners. */
  private readonly waiting = { known: [] as (() => void)[], strangers: [] as (() => void)[] }
  private running = 0
  private decoy: string | undefined

  /** @param cost lower than the default only in tests */
  constructor(cost = USUAL_COST) {
    this.cost = cost
  }

  /**
   * Hashes a password with a new salt; returns a PHC string.
   * @param isKnown as in `verify`
   */
  hash(password: string, isKnown = false): Promise<string> {
    return this.inTurn(() => Bun.password.hash(password, { algorithm: 'argon2id', ...this.cost }), isKnown)
  }

  /**
   * Whether a password matches a hash. Without a hash, returns false after the same work.
   *
   * @param isKnown whether the request comes from a browser that has logged in before
   */
  async verify(password: string, hash: string | undefined, isKnown: boolean): Promise<boolean> {
    this.decoy ??= await this.hash(crypto.randomUUID(), isKnown)
    const compared = hash ?? this.decoy
    const isSame = await this.inTurn(() => Bun.password.verify(password, compared), isKnown)
    return isSame && hash !== undefined
  }

  private async inTurn<Result>(work: () => Promise<Result>, isKnown: boolean): Promise<Result> {
    if (this.running >= AT_ONCE) {
      const waiting = isKnown ? this.waiting.known : this.waiting.strangers
      if (waiting.length >= WAITING_LIMIT) throw new HashingOverloaded('too many passwords are being checked')
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else this.running++
    try {
      return await work()
    } finally {
      const next = this.waiting.known.shift() ?? this.waiting.strangers.shift()
      if (next === undefined) this.running--
      else next()
    }
  }
}
