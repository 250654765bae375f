// The file `data_dir/outage-units`. While the database is down, an account may use a limited number of units, its
// outage share. The file records how many units of the share each account has used this month. Units are recorded
// before requests use them. So each share is granted only once a month, even if the database fails repeatedly or the
// process restarts.
import { join } from 'node:path'
import { readJsonFile, writeFileWhole } from '../system/whole-file.ts'

/**
 * Maximum number of parts in which a share is booked. Each booking writes the file, so a part must not be too small. A
 * request for more units than one part books all its units at once.
 */
const PARTS = 10

/** A request for units. */
export interface ShareRequest {
  readonly accountId: string
  /** Months since the year 0. */
  readonly month: number
  readonly units: number
  /** The account's full outage share for the month. */
  readonly share: number
}

/** Records how many units of its outage share each account has used. */
export interface OutageBook {
  /**
   * Records units as used: at least as many as requested, unless fewer units of the share are left. Returns the number
   * of units recorded for each request.
   */
  book(requests: readonly ShareRequest[]): number[]
  /** Units that this process has recorded as used, for metrics. */
  readonly bookedUnits: number
}

/** The outage book in a data directory. The caller must hold the directory's lock. */
export class OutageFile implements OutageBook {
  private readonly path: string
  private readonly onProblem: (message: string) => void
  /** Month and account → units recorded as used. */
  private booked: Map<string, number>
  bookedUnits = 0

  /** @param onProblem called if the file cannot be written; no units are booked in that case */
  constructor(dataDir: string, onProblem: (message: string) => void) {
    this.path = join(dataDir, 'outage-units')
    this.onProblem = onProblem
    this.booked = new Map(Object.entries(readJsonFile(this.path) ?? {}).map(([key, units]) => [key, Number(units)]))
  }

  book(requests: readonly ShareRequest[]): number[] {
    const before = new Map(this.booked)
    const given = requests.map(({ accountId, month, units, share }) => {
      const key = `${month} ${accountId}`
      const already = this.booked.get(key) ?? 0
      const taken = Math.max(0, Math.min(Math.max(units, Math.ceil(share / PARTS)), share - already))
      if (taken > 0) this.booked.set(key, already + taken)
      return taken
    })
    const sum = given.reduce((total, units) => total + units, 0)
    if (sum === 0) return given
    const latest = Math.max(...requests.map(({ month }) => month))
    for (const key of this.booked.keys()) if (Number.parseInt(key, 10) < latest - 1) this.booked.delete(key)
    try {
      writeFileWhole(this.path, JSON.stringify(Object.fromEntries(this.booked)))
    } catch (error) {
      this.booked = before
      this.onProblem(
        `${this.path} cannot be written: ${error}; while the database is down, this replica gets no more units, and can use only those that it already has`,
      )
      return requests.map(() => 0)
    }
    this.bookedUnits += sum
    return given
  }
}
