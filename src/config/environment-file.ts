// The file `environment` next to the configuration contains secrets that the configuration refers to as ${NAME}. systemd
// reads the file for the service (EnvironmentFile). Commands also read it, so that they use the same values.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from '../system/errno.ts'

type Environment = Readonly<Record<string, string | undefined>>

const FILE = 'environment'
const LINE = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/
const QUOTED = /^(["'])(.*)\1$/

/**
 * Returns the environment together with the variables in the file. If a variable is in both, the value from the
 * environment is used. `unreadable` is the file's path if this user cannot read it.
 */
export function withEnvironmentFile(env: Environment, folder: string): { env: Environment; unreadable?: string } {
  const path = join(folder, FILE)
  try {
    return { env: { ...parseEnvironment(readFileSync(path, 'utf8')), ...env } }
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'EISDIR')) return { env }
    if (isErrno(error, 'EACCES', 'EPERM')) return { env, unreadable: path }
    throw error
  }
}

/** Parses lines of the form NAME=value; a value may be in quotes. Other lines are ignored, as in systemd. */
function parseEnvironment(text: string): Record<string, string> {
  const lines = text.split('\n').flatMap((line) => {
    const [, name, value = ''] = LINE.exec(line.trim()) ?? []
    return name === undefined ? [] : [[name, QUOTED.exec(value)?.[2] ?? value] as const]
  })
  return Object.fromEntries(lines)
}
