// Locks a folder, so that only one process uses it. The folder is the data directory, or the folder of a network's
// snapshots during an import. The lock is SQLite's lock on an empty database, because that works on every platform that
// Quai runs on. When the process ends for any reason, the kernel releases the lock. If somebody removes the lock file,
// the process that held the lock creates the file again and locks it.
import { Database } from 'bun:sqlite'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from './errno.ts'

/** Thrown if another process has locked the folder. */
export class DataDirBusy extends Error {
  override readonly name = 'DataDirBusy'
}

/** Thrown if the folder cannot be used; the message contains the reason. */
export class DataDirUnusable extends Error {
  override readonly name = 'DataDirUnusable'
}

/** A locked folder. */
export interface DataDirLock {
  /**
   * Checks the lock file. If the file was removed or replaced, locks the folder again and returns true. Throws
   * DataDirBusy if another process has locked the folder in the meantime. In that case, two processes use the folder,
   * and this process must exit.
   */
  keep(): boolean
  release(): void
}

/** How long a new process waits for the holder of the lock to create the lock file again, if the file was removed. */
const HOLDER_MILLIS = 3_000
const HOLDER_RETRY_MILLIS = 20
/** How long a starting service waits for a command that holds the lock. */
const COMMAND_MILLIS = 5_000
/** How often the holder of the lock checks that the lock file exists. */
const KEEP_MILLIS = 500

/**
 * Files that a process writes next to the lock file while it holds the lock: its pid, and the socket for commands
 * (`control-socket.ts`).
 */
const HOLDER_TRACES = ['lock.pid', 'control.sock']

/**
 * Waits until this process may try to lock a folder. If the folder contains other files of a holder but no lock file,
 * somebody has removed the lock file. The holder then creates it again within HOLDER_MILLIS, unless the holder was
 * killed.
 */
export async function awaitHolder(folder: string): Promise<void> {
  const giveUpAtMillis = performance.now() + HOLDER_MILLIS
  while (HOLDER_TRACES.some((name) => existsSync(join(folder, name))) && !existsSync(join(folder, 'lock'))) {
    if (performance.now() > giveUpAtMillis) return
    await Bun.sleep(HOLDER_RETRY_MILLIS)
  }
}

/** Callbacks for problems with the lock. */
export interface HolderParts {
  /** Called if the lock file was removed, or if it cannot be restored. */
  onProblem(message: string): void
  /** Called if another process has locked the folder in the meantime. This process must then exit. */
  onLost(error: DataDirBusy): void
}

/** Locks a folder until `release` is called. The folder stays locked even if the lock file is removed. */
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
 * Locks a folder for a service that is starting. If the lock's holder has no control socket, the holder is a command.
 * Commands hold the lock only briefly, so this function waits for them.
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

/** Locks a folder, creating it if needed; throws DataDirBusy at once if another process has locked the folder. */
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
  // The lock file can be read only by its owner, because whoever can read a database can also lock it. The file is
  // created here only if it is missing: opening and closing an existing file would release this process's lock on it.
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
    const advice = 'Make the user that runs the service the owner of all files in this folder, or correct data_dir'
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

/**
 * Locks a folder. Waits while another process holds the lock; if that process is killed, the lock is released. `onWait`
 * is called once if there is a wait.
 */
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
