// How this program starts itself again, from source or as the compiled binary.
import { relative } from 'node:path'

/** The command that starts this program, without any arguments. */
export function ownCommand(): string[] {
  return Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main]
}

/** How the user starts this program, for use in messages: "quai", or "bun src/main.ts" if it runs from source. */
export function typedCommand(): string {
  return Bun.isStandaloneExecutable ? 'quai' : `bun ${relative('', Bun.main)}`
}
