// `quai pepper make`: writes the secret with which all replicas of a cluster hash keys.
import { resolve } from 'node:path'
import { makePepperFile } from '../keys/pepper.ts'
import { FAILED } from './account-access.ts'
import type { CommandIo } from './command-io.ts'

/** Writes a new pepper to a file that does not exist yet. */
export function runPepperMake({ file }: { readonly file: string }, io: CommandIo): number {
  const path = resolve(file)
  try {
    makePepperFile(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    const why = error.code === 'EEXIST' ? 'it already exists, and stored keys may need it' : error.message
    io.stderr(`quai: ${path} can't be written: ${why}\n`)
    return FAILED
  }
  io.stdout(`${path}\n`)
  return 0
}
