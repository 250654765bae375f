#!/usr/bin/env bun
// The entry of everything: the commands on the main thread, and, in a Worker of this very file, a data thread.

if (Bun.isMainThread) {
  const { runProgram } = await import('./commands/program.ts')
  // A command has ended when its work has: nothing may keep the process up behind it.
  process.exit(await runProgram(process.argv.slice(2)))
} else {
  const { runDataThread } = await import('./data-thread.ts')
  runDataThread()
}

export {}
