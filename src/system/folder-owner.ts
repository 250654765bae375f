// Finds the owner of a data directory. If a service runs as another user, it cannot open files that root writes into
// its data directory.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DataDirUnusable } from './data-dir-lock.ts'

/** Throws DataDirUnusable if this process runs as root and the service of the data directory runs as another user. */
export function refuseOtherOwner(folder: string): void {
  if (process.getuid?.() !== 0) return
  const owner = ownerOf(join(folder, 'lock')) ?? ownerOf(folder)
  if (owner === undefined || owner === 0) return
  const name = userName(owner)
  throw new DataDirUnusable(
    `${folder} belongs to ${name === undefined ? `the user ${owner}` : `the user "${name}"`}, who could not open files that root creates. Run the command as that user: runuser -u ${name ?? `NAME`} -- quai …`,
  )
}

function ownerOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid
}

/** The name of a user in /etc/passwd, or undefined if the file does not contain the user. */
function userName(uid: number): string | undefined {
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  return users.map((line) => line.split(':')).find(([, , id]) => id === String(uid))?.[0]
}
