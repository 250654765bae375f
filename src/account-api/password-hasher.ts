// Argon2id, off this thread, for a few at a time: each takes a core and memory, and keys must be served meanwhile.

/** What one argon2id costs. */
export interface PasswordCost {
  /** Kibibytes. */
  readonly memoryCost: number
  /** Passes over them. */
  readonly timeCost: number
}

/** What OWASP's advice on storing passwords gives for argon2id. */
const USUAL_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2 }
/** Hashed at the same time. */
const AT_ONCE = 2
/** How many may wait for a hash, of strangers and of known browsers each; 200 take a few seconds. */
const WAITING_LIMIT = 200

/** As many wait for a hash as may. */
export class HashingOverloaded extends Error {
  override readonly name = 'HashingOverloaded'
}

/** Hashes and compares passwords. */
export class PasswordHasher {
  private readonly cost: PasswordCost
  /** Those of known browsers go first: strangers cannot keep owners waiting. */
  private readonly waiting = { known: [] as (() => void)[], strangers: [] as (() => void)[] }
  private running = 0
  private decoy: string | undefined

  /** @param cost cheaper than the usual one in tests alone */
  constructor(cost = USUAL_COST) {
    this.cost = cost
  }

  /** A PHC string, with a salt of its own. @param isKnown as in `verify` */
  hash(password: string, isKnown = false): Promise<string> {
    return this.inTurn(() => Bun.password.hash(password, { algorithm: 'argon2id', ...this.cost }), isKnown)
  }

  /**
   * Whether a password is the one of a hash. Where there is no hash it is not, after the same work.
   *
   * @param isKnown whether it comes from a browser that has logged in before
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
      if (waiting.length >= WAITING_LIMIT) throw new HashingOverloaded('too many passwords at once')
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
