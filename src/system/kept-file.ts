// A JSON file with data that survives a restart. The service also runs without the file. If the file cannot be written,
// for example because the disk is full, the content stays in memory and is written later.
import { readJsonFile, writeFileWhole } from './whole-file.ts'

const RETRY_MILLIS = 10_000

/** A JSON file that is written again later if it cannot be written now. */
export class KeptFile<Content> {
  private readonly path: string
  private readonly onProblem: (message: string) => void
  private readonly retryMillis: number
  private retry: ReturnType<typeof setTimeout> | undefined

  /**
   * @param onProblem called when the file cannot be written; after that, not called again until a write has succeeded
   */
  constructor(path: string, onProblem: (message: string) => void, retryMillis = RETRY_MILLIS) {
    this.path = path
    this.onProblem = onProblem
    this.retryMillis = retryMillis
  }

  /** The content; undefined if the file is missing or damaged. */
  read(): Content | undefined {
    return readJsonFile(this.path)
  }

  /** Replaces the content. If the file cannot be written now, the latest content is written later. */
  keep(content: Content): void {
    const hasFailed = this.retry !== undefined
    clearTimeout(this.retry)
    this.retry = undefined
    try {
      writeFileWhole(this.path, JSON.stringify(content))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      this.retry = setTimeout(() => this.keep(content), this.retryMillis)
      this.retry.unref()
      if (!hasFailed) this.onProblem(`${this.path} cannot be written: ${error.message}; retrying until it succeeds`)
    }
  }
}
