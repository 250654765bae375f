// An import as a child process of a server: reads its order from stdin, writes its report to stdout as one line of
// JSON.
import { readClockStart, startClock } from '../system/clock.ts'
import type { ImportOrder } from './import-network.ts'

/** Runs the import and returns the exit status. */
export async function runImportChild(): Promise<number> {
  const { importNetwork } = await import('./import-network.ts')
  const order: ImportOrder = JSON.parse(await Bun.stdin.text()) // written by `importInChild` in the same program
  const report = await importNetwork(order, startClock(readClockStart(process.env)))
  console.log(JSON.stringify(report))
  return report.refusal === undefined ? 0 : 1
}
