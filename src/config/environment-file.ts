// The file `environment` next to the configuration: secrets that the configuration refers to as ${NAME}. systemd reads
// it for the service (EnvironmentFile). Commands read it too, so that they see the same values.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from '../system/errno.ts'

type Environment = Readonly<Record<string, string | undefined>>

const FILE = 'environment'
const LINE = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/
const QUOTED = /^(["'])(.*)\1$/

/**
 * Returns the environment plus the variables of the file; a variable in both has its value from the environment.
 * `unreadable` is the file's path if this user cannot read it.
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

/** Parses lines of NAME=value; a value may be in quotes. Other lines are ignored, as systemd does. */
function parseEnvironment(text: string): Record<string, string> {
  const lines = text.split('\n').flatMap((line) => {
    const [, name, value = ''] = LINE.exec(line.trim()) ?? []
    return name === undefined ? [] : [[name, QUOTED.exec(value)?.[2] ?? value] as const]
  })
  return Object.fromEntries(lines)
}
