// How this program starts itself again: from source and as the compiled binary alike.

/** The words that start this program, before its command's own. */
export function ownCommand(): string[] {
  return Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main]
}
