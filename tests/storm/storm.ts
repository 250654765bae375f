// Runs one storm, from its start to the printed figures.
import { seededRandom } from '../../src/demo/seeded-random.ts'
import { StormClient } from './storm-client.ts'
import { StormEvents } from './storm-events.ts'
import { StormStreams } from './storm-streams.ts'
import { StormTally } from './storm-tally.ts'
import { StormWorld } from './storm-world.ts'

const CALLS_PER_SECOND = 60
const STREAMS = 20
/** Maximum pause before the next event is started. */
const PAUSE_MILLIS = 8_000
const SAMPLE_MILLIS = 5_000
/** Time without events at the end, in which all requests are answered. */
const CALM_MILLIS = 3_000

/** How long a storm lasts, and what determines its events. */
export interface StormOrder {
  readonly minutes: number
  readonly seed: number
  /** Whether the limits on availability and memory must be met; true if absent. */
  readonly isTimed?: boolean
}

/** Runs a storm and prints its figures. Returns whether each figure meets its limit. */
export async function rageStorm({ minutes, seed, isTimed = true }: StormOrder): Promise<boolean> {
  console.log(`a storm of ${minutes} minutes, seed ${seed}`)
  const world = await StormWorld.open()
  try {
    const { networks } = world
    const tally = new StormTally()
    const parts = { networks, random: seededRandom(seed, 'calls'), tally }
    const client = new StormClient({ base: world.base, key: world.keys.calls }, parts)
    const calls = client.run(CALLS_PER_SECOND)
    const order = { base: world.base, keys: world.keys.streams, networks, random: seededRandom(seed, 'streams'), tally }
    const streams = new StormStreams(order, STREAMS)
    const events = new StormEvents({ world, streams, random: seededRandom(seed, 'storm'), tally })
    const storm = events.run(PAUSE_MILLIS)
    const sampling = setInterval(() => sample(world, tally), SAMPLE_MILLIS)
    const over = Bun.sleep(minutes * 60_000)
    await Promise.race([over, calls, storm, world.crashed]) // an error in any of these promises ends the storm
    await over
    events.stop()
    await storm
    await Bun.sleep(CALM_MILLIS)
    client.stop()
    await Promise.all([calls, streams.stop()])
    clearInterval(sampling)
    const ledger = await world.finish()
    const isPassed = tally.report(ledger, isTimed)
    console.log(`${isPassed ? 'passed' : 'FAILED'}: a storm of ${minutes} minutes, seed ${seed}`)
    return isPassed
  } finally {
    await world.close()
  }
}

/** Records the memory of the process that is now running, as its proportional set size. */
function sample({ pid }: StormWorld, tally: StormTally): void {
  if (pid === undefined) return
  void Bun.file(`/proc/${pid}/smaps_rollup`)
    .text()
    .then(
      (text) => {
        const kilobytes = Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1])
        if (kilobytes > 0) tally.noteMemory(kilobytes / 1000)
      },
      () => undefined, // the process was killed in the meantime
    )
}
