// Gives replicas and their database a system time that differs from the real time. They run with libfaketime, which
// must be installed, and read the offset from one file.
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const LIBRARIES = new Bun.Glob('*/faketime/libfaketimeMT.so.1')

/** Whether libfaketime is installed on this machine. */
export function canShiftTime(): boolean {
  return findLibrary() !== undefined
}

function findLibrary(): string | undefined {
  const [found] = LIBRARIES.scanSync({ cwd: '/usr/lib', onlyFiles: false })
  return found === undefined ? undefined : join('/usr/lib', found)
}

/** A system time for other processes, which can be changed while they run. */
export class ShiftedTime {
  /** The environment variables with which the processes must be started. */
  readonly env: Readonly<Record<string, string>>
  private readonly folder = mkdtempSync(join(tmpdir(), 'quai-time-'))
  private offsetMillis = 0

  constructor() {
    const library = findLibrary()
    if (library === undefined) throw new Error('libfaketime is not installed')
    chmodSync(this.folder, 0o755)
    this.set(Date.now())
    this.env = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.path,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_RESET: '1',
    }
  }

  /** The current shifted time, in Unix milliseconds. */
  get nowMillis(): number {
    return Date.now() + this.offsetMillis
  }

  /** Sets the time. The processes notice the change within a second. */
  set(millis: number): void {
    this.offsetMillis = millis - Date.now()
    writeFileSync(`${this.path}.new`, `${this.offsetMillis < 0 ? '-' : '+'}${Math.abs(this.offsetMillis) / 1_000}\n`)
    chmodSync(`${this.path}.new`, 0o644)
    renameSync(`${this.path}.new`, this.path)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  private get path(): string {
    return join(this.folder, 'offset')
  }
}
