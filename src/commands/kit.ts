// `quai kit`: what an operator needs beside the binary, written into a folder.
import { resolve } from 'node:path'
import { writeKit } from '../kit/kit.ts'
import type { CommandIo } from './command-io.ts'

/** Writes the kit; the paths of its files are printed. Exit status 1 where files of the operator's own were left. */
export function runKit(options: { readonly folder: string; readonly isForced: boolean }, io: CommandIo): number {
  const files = writeKit(resolve(options.folder), options.isForced)
  for (const { path } of files) io.stdout(`${path}\n`)
  const kept = files.filter(({ outcome }) => outcome === 'kept')
  for (const { path } of kept)
    io.stderr(`quai: ${path} is there with another text, and was left (--force replaces it)\n`)
  return kept.length === 0 ? 0 : 1
}
