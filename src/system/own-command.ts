// How this program starts itself again, from source or as the compiled binary.
import { relative } from 'node:path'

/** The command line of this program, without its arguments. */
export function ownCommand(): string[] {
  return Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main]
}

/** How the user calls this program, for messages: "quai", or from source "bun src/main.ts". */
export function typedCommand(): string {
  return Bun.isStandaloneExecutable ? 'quai' : `bun ${relative('', Bun.main)}`
}
