// The import of the ground as a child process of a server: reads its settings from stdin, and writes its report to
// stdout as one line of JSON.

import type { GroundOrder } from './ground-import.ts'
import { runInChild } from './street-problem.ts'

/** Runs the import and returns the exit status. */
export async function runGroundChild(): Promise<number> {
  const { importGround } = await import('./ground-import.ts')
  const order: GroundOrder = JSON.parse(await Bun.stdin.text()) // written by `GroundControl` of the same program
  return await runInChild(order.dataDir, () => importGround(order))
}
