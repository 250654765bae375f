// Limits concurrent imports: at most one per core, and together at most half of the memory. An import that needs more
// memory runs alone.
import { availableParallelism, totalmem } from 'node:os'

/** Limits for all imports together. */
export interface ImportLimits {
  readonly count: number
  readonly bytes: number
}

/** The limits of this machine or container. */
export function machineLimits(): ImportLimits {
  const allowed = process.constrainedMemory()
  const memory = allowed > 0 ? Math.min(allowed, totalmem()) : totalmem()
  return { count: availableParallelism(), bytes: memory / 2 }
}

interface Waiting {
  readonly bytes: number
  readonly start: () => void
}

/** Slots for imports, granted in order of request. */
export class ImportSlots {
  private readonly limits: ImportLimits
  private readonly waiting: Waiting[] = []
  private takenCount = 0
  private takenBytes = 0

  constructor(limits: ImportLimits = machineLimits()) {
    this.limits = limits
  }

  /** Runs an import once a slot is free. @param bytes the import's estimated memory */
  async run<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((start) => {
      this.waiting.push({ bytes, start })
      this.fill()
    })
    try {
      return await work()
    } finally {
      this.takenCount--
      this.takenBytes -= bytes
      this.fill()
    }
  }

  private fill(): void {
    const { count, bytes } = this.limits
    for (;;) {
      const [next] = this.waiting
      if (next === undefined || this.takenCount >= count) return
      if (this.takenCount > 0 && this.takenBytes + next.bytes > bytes) return
      this.waiting.shift()
      this.takenCount++
      this.takenBytes += next.bytes
      next.start()
    }
  }
}
