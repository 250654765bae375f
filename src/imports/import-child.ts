// An import as a child process of a server: the order comes on standard input, the report leaves as one line of JSON.
import { readClockStart, startClock } from '../system/clock.ts'
import type { ImportOrder } from './import-network.ts'

/** Runs until the import has ended; the exit status. */
export async function runImportChild(): Promise<number> {
  const { importNetwork } = await import('./import-network.ts')
  const order: ImportOrder = JSON.parse(await Bun.stdin.text()) // from `importInChild` of this very program
  const report = await importNetwork(order, startClock(readClockStart(process.env)))
  console.log(JSON.stringify(report))
  return report.refusal === undefined ? 0 : 1
}
