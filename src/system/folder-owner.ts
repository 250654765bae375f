// Finds the owner of a data directory. If root wrote files into the data directory of a service that runs as another
// user, the service could not open them.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DataDirUnusable } from './data-dir-lock.ts'

/** Throws DataDirUnusable if this process runs as root and the data directory's service runs as another user. */
export function refuseOtherOwner(folder: string): void {
  if (process.getuid?.() !== 0) return
  const owner = ownerOf(join(folder, 'lock')) ?? ownerOf(folder)
  if (owner === undefined || owner === 0) return
  const name = userName(owner)
  throw new DataDirUnusable(
    `${folder} belongs to ${name === undefined ? `the user ${owner}` : `the user "${name}"`}, but this command is run by root. That user would not be able to open the files that the command creates. Run it as that user: runuser -u ${name ?? `NAME`} -- quai …`,
  )
}

function ownerOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid
}

/** The name of a user according to /etc/passwd; undefined if the file does not contain the user. */
function userName(uid: number): string | undefined {
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  return users.map((line) => line.split(':')).find(([, , id]) => id === String(uid))?.[0]
}
