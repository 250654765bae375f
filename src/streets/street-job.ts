// Imports the streets and makes the base map in child processes of a server. Each child process reads its settings from
// stdin and writes its report to stdout, as one line of JSON.
import type { GroundOrder } from './ground-import.ts'
import type { StreetOrder } from './street-import.ts'
import { extractProblem } from './street-problem.ts'

/**
 * Imports streets or makes the base map. Prints the report to stdout, or a problem to stderr. Returns the exit status.
 */
export async function runStreetJob(job: 'streets' | 'ground'): Promise<number> {
  const order: StreetOrder & GroundOrder = JSON.parse(await Bun.stdin.text()) // written by the server, which is the same program
  try {
    const run =
      job === 'streets'
        ? (await import('./street-import.ts')).importStreets
        : (await import('./ground-import.ts')).importGround
    console.log(JSON.stringify(await run(order)))
    return 0
  } catch (error) {
    console.error(`quai: ${extractProblem(error, order.dataDir).message}`)
    return 1
  }
}
