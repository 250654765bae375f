// The import of streets as a child process of a server: reads its settings from stdin, and writes its report to stdout
// as one line of JSON.

import type { StreetOrder } from './street-import.ts'
import { runInChild } from './street-problem.ts'

/** Runs the import and returns the exit status. */
export async function runStreetChild(): Promise<number> {
  const { importStreets } = await import('./street-import.ts')
  const order: StreetOrder = JSON.parse(await Bun.stdin.text()) // written by `StreetsControl` of the same program
  return await runInChild(order.dataDir, () => importStreets(order))
}
