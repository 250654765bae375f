// Runs the demo's agency in a separate process, so that its work does not slow down measurements. `SimulatorProcess`
// starts the process and sends it messages that set the faults of its feeds.

import { type CityOrder, makeCity, writeCity } from '../../src/demo/city.ts'
import { FEEDS, type FeedName } from '../../src/demo/simulator.ts'
import { startClock } from '../../src/system/clock.ts'
import type { Fault } from '../faulty-upstream/faults.ts'
import { startFaultySimulator } from '../faulty-upstream/faulty-simulator.ts'

/** A message to the process. */
interface Order {
  readonly number: number
  readonly fault: Fault | null
  readonly feed: FeedName
}

/** The process's reply: the URL of each feed, and the number of requests to it so far. */
interface Answer {
  readonly number: number
  readonly urls: Readonly<Record<FeedName, string>>
  readonly requests: Readonly<Record<FeedName, number>>
}

/** An agency whose feeds fail on demand. */
export class SimulatorProcess {
  readonly urls: Answer['urls']
  private readonly child: Bun.Subprocess
  private readonly waiting: Map<number, (answer: Answer) => void>
  private number = 0

  private constructor(child: Bun.Subprocess, waiting: Map<number, (answer: Answer) => void>, { urls }: Answer) {
    this.child = child
    this.waiting = waiting
    this.urls = urls
  }

  /**
   * Writes the city's timetable into a folder and starts publishing.
   * @param clock as in QUAI_CLOCK
   */
  static async start(folder: string, clock: string): Promise<SimulatorProcess> {
    const waiting = new Map<number, (answer: Answer) => void>()
    const { promise, resolve } = Promise.withResolvers<Answer>()
    waiting.set(0, resolve)
    const child = Bun.spawn([process.execPath, import.meta.path, folder], {
      env: { ...process.env, QUAI_CLOCK: clock },
      stdout: 'inherit',
      stderr: 'inherit',
      ipc: (answer: Answer) => waiting.get(answer.number)?.(answer),
    })
    return new SimulatorProcess(child, waiting, await promise)
  }

  /** Gives a feed a fault, or ends its fault if `fault` is null. Returns the number of requests for each feed so far. */
  async setFault(fault: Fault | null, feed: FeedName): Promise<Answer['requests']> {
    const order: Order = { number: ++this.number, fault, feed }
    const { promise, resolve } = Promise.withResolvers<Answer>()
    this.waiting.set(order.number, resolve)
    this.child.send(order)
    const { requests } = await promise
    this.waiting.delete(order.number)
    return requests
  }

  async stop(): Promise<void> {
    this.child.kill()
    await this.child.exited
  }
}

/** The city for a simulator that starts at `nowMillis`. The seed also determines the delays. */
export function simulatedCity(nowMillis: number): CityOrder {
  const day = new Date(nowMillis - 86_400_000).toISOString().slice(0, 10)
  return { seed: 7, scale: 0.2, firstDate: Number(day.replaceAll('-', '')), days: 7 }
}

/** Runs the simulator; this is the code of the separate process. */
async function runSimulator(folder: string): Promise<void> {
  const start = { setting: process.env['QUAI_CLOCK'], readAtMillis: Date.now() }
  const clock = startClock(start)
  const order = simulatedCity(clock.nowMillis())
  const city = makeCity(order)
  await writeCity(city, folder)
  const simulator = startFaultySimulator({ city, seed: order.seed, clock })
  const reply = (number: number): void => {
    const of = <T>(value: (feed: FeedName) => T) => Object.fromEntries(FEEDS.map((feed) => [feed, value(feed)]))
    process.send?.({ number, urls: of(simulator.url), requests: of(simulator.requestCount) })
  }
  process.on('message', ({ number, fault, feed }: Order) => {
    simulator.setFault(fault ?? undefined, feed)
    reply(number)
  })
  reply(0)
}

if (import.meta.main) await runSimulator(process.argv[2] ?? '')
