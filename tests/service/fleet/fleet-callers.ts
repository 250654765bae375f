// Clients of a cluster. They add up the units that responses report and, separately, the units of requests that got no
// response.
import type { FleetReplica } from './fleet.ts'

/** The units of one account, as its clients have counted them. */
export interface AccountCount {
  readonly key: string
  /** Units reported by responses that were read completely. */
  reported: number
  /** Units of calls that were sent but got no response. They may have been charged. */
  unanswered: number
  /** The units that each response reported, with the replica and the time, for tests that need them. */
  readonly answers?: { readonly replica: number; readonly atMillis: number; readonly units: number }[]
}

/**
 * Outcome → number of calls with this outcome. An outcome is `200`, another status with its reason, or `unreachable`.
 */
export type Outcomes = Record<string, number>

/** Callers that send requests to all replicas for all accounts until they are stopped. */
export class FleetCallers {
  readonly outcomes: Outcomes = {}
  /** The duration of each call that got a response, in milliseconds. */
  readonly waits: number[] = []
  private readonly over = Promise.withResolvers<void>()
  private isOver = false
  private readonly done: Promise<unknown>

  /**
   * @param each number of callers for each pair of replica and account
   * @param pauseMillis average pause between two calls by the same caller
   */
  constructor(
    replicas: readonly FleetReplica[],
    accounts: readonly AccountCount[],
    { each, pauseMillis }: { readonly each: number; readonly pauseMillis: number },
  ) {
    const callers = replicas.flatMap((replica) =>
      accounts.flatMap((account) => Array.from({ length: each }, () => this.call(replica, account, pauseMillis))),
    )
    this.done = Promise.all(callers)
  }

  /** Stops sending. Resolves when nothing is in flight. */
  async stop(): Promise<void> {
    this.isOver = true
    this.over.resolve()
    await this.done
  }

  private async call(replica: FleetReplica, account: AccountCount, pauseMillis: number): Promise<void> {
    while (!this.isOver) {
      const isCostly = Math.random() < 0.1
      const outcome = await callOnce(replica, account, isCostly, this.waits)
      this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1
      const millis = pauseMillis * (0.5 + Math.random()) + (outcome === 'unreachable' ? 100 : 0)
      await Promise.race([Bun.sleep(millis), this.over.promise])
    }
  }
}

/** Makes one call and counts its units; returns the outcome. */
export async function callOnce(
  replica: FleetReplica,
  account: AccountCount,
  isCostly: boolean,
  waits: number[] = [],
): Promise<string> {
  const [path, units] = isCostly ? ['/v1/journeys?from=ville:stop:G&to=48.5895,7.7605', 5] : ['/v1/networks', 1]
  const headers = { authorization: `Bearer ${account.key}` }
  account.unanswered += units
  const sentMillis = performance.now()
  try {
    const response = await fetch(replica.base + path, { headers, signal: AbortSignal.timeout(20_000) })
    const body = (await response.json()) as { meta?: { units: number }; reason?: string }
    waits.push(performance.now() - sentMillis)
    account.unanswered -= units
    if (response.status === 200) {
      const reported = body.meta?.units ?? Number.NaN
      account.reported += reported
      account.answers?.push({ replica: replica.index, atMillis: performance.now(), units: reported })
    }
    return response.status === 200 ? '200' : `${response.status} ${body.reason}`
  } catch (error) {
    // If the connection was refused, nothing was sent.
    if (error instanceof Error && 'code' in error && error.code === 'ConnectionRefused') account.unanswered -= units
    return 'unreachable'
  }
}
