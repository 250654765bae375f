// One process owns a folder: the data directory, or a network's snapshots while they are imported. The lock is SQLite's
// own on an empty database: the kernel releases it when the process ends, however it ends, and it works on every
// platform Quai runs on. Removing the file does not release it: the process that held it takes it again under the same
// name.
import { Database } from 'bun:sqlite'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from './errno.ts'

/** Another process holds the data directory. */
export class DataDirBusy extends Error {
  override readonly name = 'DataDirBusy'
}

/** The data directory is unusable; the message names the reason. */
export class DataDirUnusable extends Error {
  override readonly name = 'DataDirUnusable'
}

/** A locked data directory. */
export interface DataDirLock {
  /**
   * Takes the lock again if its file was removed or replaced, and returns whether it was. Throws DataDirBusy if another
   * process was faster: two processes then use the folder, and this one must exit.
   */
  keep(): boolean
  release(): void
}

/** How long a new process waits for the holder of a removed lock file to restore it. */
const HOLDER_MILLIS = 3_000
const HOLDER_RETRY_MILLIS = 20
/** How long a starting service waits for commands that hold the lock. */
const COMMAND_MILLIS = 5_000
/** How often a holder checks that the lock file exists. */
const KEEP_MILLIS = 500

/** Files of a holder next to the lock file: its pid, and the socket for commands (`control-socket.ts`). */
const HOLDER_TRACES = ['lock.pid', 'control.sock']

/**
 * Waits until this process may try to lock a folder. A missing lock file next to traces of a holder was removed: a
 * running holder creates it again within this time, and a killed one never does.
 */
export async function awaitHolder(folder: string): Promise<void> {
  const giveUpAtMillis = performance.now() + HOLDER_MILLIS
  while (HOLDER_TRACES.some((name) => existsSync(join(folder, name))) && !existsSync(join(folder, 'lock'))) {
    if (performance.now() > giveUpAtMillis) return
    await Bun.sleep(HOLDER_RETRY_MILLIS)
  }
}

/** Callbacks for the holder of a folder. */
export interface HolderParts {
  /** The lock file was removed, or cannot be restored. */
  onProblem(message: string): void
  /** Another process took the folder: this one must exit. */
  onLost(error: DataDirBusy): void
}

/** Locks a folder until it is released, even if the lock file is removed. */
export async function holdFolder(folder: string, parts: HolderParts): Promise<Pick<DataDirLock, 'release'>> {
  await awaitHolder(folder)
  const lock = await lockAfterCommands(folder)
  let lastFault = ''
  const timer = setInterval(() => {
    try {
      if (lock.keep()) parts.onProblem('the lock file of the data directory was removed; it was created again')
      lastFault = ''
    } catch (error) {
      if (error instanceof DataDirBusy) {
        clearInterval(timer)
        return parts.onLost(error)
      }
      if (`${error}` !== lastFault)
        parts.onProblem(`the lock file of the data directory cannot be created again: ${error}`)
      lastFault = `${error}`
    }
  }, KEEP_MILLIS)
  timer.unref()
  return {
    release() {
      clearInterval(timer)
      lock.release()
    },
  }
}

/**
 * Commands hold the lock only for a moment, and have no control socket. A service that starts in the meantime waits for
 * them.
 */
async function lockAfterCommands(folder: string): Promise<DataDirLock> {
  const giveUpAtMillis = performance.now() + COMMAND_MILLIS
  for (;;) {
    try {
      return lockFolder(folder)
    } catch (error) {
      const isService = existsSync(join(folder, 'control.sock'))
      if (!(error instanceof DataDirBusy) || isService || performance.now() > giveUpAtMillis) throw error
    }
    await Bun.sleep(RETRY_MILLIS)
  }
}

/** Locks a folder, creating it if needed; throws DataDirBusy at once if another process holds it. */
export function lockFolder(folder: string): DataDirLock {
  let held = takeLock(folder)
  return {
    keep() {
      if (findFileId(folder) === held.fileId) return false
      const taken = takeLock(folder)
      held.database.close()
      held = taken
      return true
    },
    release() {
      rmSync(join(folder, 'lock.pid'), { force: true })
      held.database.close()
    },
  }
}

function takeLock(folder: string): { readonly database: Database; readonly fileId: string | undefined } {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'lock')
  const pidPath = join(folder, 'lock.pid')
  // The file is readable by its owner only, because whoever can read a database can also lock it. It is only created
  // here if it is missing: closing an existing file would release this process's lock on it.
  const database = openLock(path)
  const fileId = findFileId(folder)
  try {
    database.run('PRAGMA busy_timeout = 0')
    database.run('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')) throw error
    throw new DataDirBusy(`another quai process${readHolder(pidPath)} is using the data directory ${folder}`)
  }
  writeFileSync(pidPath, `${process.pid}\n`)
  return { database, fileId }
}

function openLock(path: string): Database {
  try {
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
    return new Database(path, { create: true })
  } catch (error) {
    if (!isErrno(error, 'EACCES', 'EPERM', 'SQLITE_CANTOPEN')) throw error
    const advice = 'Make the user of the service the owner of all files in its folder, or correct data_dir'
    throw new DataDirUnusable(`${path} cannot be opened by this user. ${advice}`)
  }
}

/** The identity of the lock file; undefined if it does not exist. */
function findFileId(folder: string): string | undefined {
  const found = statSync(join(folder, 'lock'), { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}

function readHolder(pidPath: string): string {
  try {
    return ` (${readFileSync(pidPath, 'utf8').trim()})`
  } catch {
    return '' // the pid is optional in the message
  }
}

const RETRY_MILLIS = 100

/** Waits for a lock. If its holder is killed, the lock is released. `onWait` is called once if there is a wait. */
export async function awaitFolder(folder: string, onWait: () => void): Promise<DataDirLock> {
  for (let tries = 0; ; tries++) {
    try {
      return lockFolder(folder)
    } catch (error) {
      if (!(error instanceof DataDirBusy)) throw error
      if (tries === 0) onWait()
    }
    await Bun.sleep(RETRY_MILLIS)
  }
}
