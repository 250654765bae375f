// `quai kit`: writes files for operators into a folder.
import { resolve } from 'node:path'
import { writeKit } from '../kit/kit.ts'
import type { CommandIo } from './command-io.ts'

/** Writes the kit and prints the paths of its files. Returns exit status 1 if it kept existing files that differ. */
export function runKit(options: { readonly folder: string; readonly isForced: boolean }, io: CommandIo): number {
  const files = writeKit(resolve(options.folder), options.isForced)
  for (const { path } of files) io.stdout(`${path}\n`)
  const kept = files.filter(({ outcome }) => outcome === 'kept')
  for (const { path } of kept)
    io.stderr(`quai: ${path} exists and differs; not overwritten (use --force to overwrite it)\n`)
  return kept.length === 0 ? 0 : 1
}
