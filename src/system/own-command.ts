// How this program starts itself again, from source or as the compiled binary.

/** The command line of this program, without its arguments. */
export function ownCommand(): string[] {
  return Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main]
}
