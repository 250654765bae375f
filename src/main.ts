#!/usr/bin/env bun
// The entry point. The main thread runs commands. Workers run the same file: the live thread, the data threads, their
// planners, the download of feeds, and the import of addresses. A server also starts this program as a child process
// for each job that imports a network or streets, or makes the base map.

if (Bun.isMainThread && process.argv[2] === 'import-child') {
  const { runImportChild } = await import('./imports/import-child.ts')
  process.exit(await runImportChild())
} else if (Bun.isMainThread && process.argv[2] === 'streets-child') {
  const { runStreetJob } = await import('./streets/street-job.ts')
  process.exit(await runStreetJob('streets'))
} else if (Bun.isMainThread && process.argv[2] === 'ground-child') {
  const { runStreetJob } = await import('./streets/street-job.ts')
  process.exit(await runStreetJob('ground'))
} else if (Bun.isMainThread) {
  const { runProgram } = await import('./commands/program.ts')
  // The process ends when the command returns, even if timers or connections are still open.
  process.exit(await runProgram(process.argv.slice(2)))
} else if (process.argv[2] === 'live') {
  const { runLive } = await import('./server/live-entry.ts')
  runLive()
} else if (process.argv[2] === 'fetch') {
  const { runFetchThread } = await import('./imports/feed-fetcher.ts')
  runFetchThread()
} else if (process.argv[2] === 'addresses') {
  const { runAddressThread } = await import('./places/address-thread.ts')
  runAddressThread()
} else if (process.argv[2] === 'planner') {
  const { runPlannerThread } = await import('./server/planner-thread.ts')
  runPlannerThread()
} else {
  const { runDataThread } = await import('./server/data-thread.ts')
  runDataThread()
}

export {}
