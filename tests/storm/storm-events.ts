// The random events of a storm: killed processes and threads, broken connections, feed faults, a full disk, clock
// jumps, slow readers, floods, reloads and imports. Each event ends by itself and restores the earlier state.
import { rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { below, pick, type Random } from '../../src/demo/seeded-random.ts'
import { FEEDS } from '../../src/demo/simulator.ts'
import { FAULTS } from '../faulty-upstream/faults.ts'
import { fillUp } from '../service/small-disk.ts'
import type { StormStreams } from './storm-streams.ts'
import type { StormTally } from './storm-tally.ts'
import type { StormWorld } from './storm-world.ts'

const FAULT_MILLIS = { least: 3_000, more: 15_000 } as const
const FULL_MILLIS = { least: 1_000, more: 6_000 } as const
const MOST_JUMP_MILLIS = 90_000
const JUMP_MILLIS = 10_000
const SLOW_READERS = 30
const SLOW_MILLIS = 15_000
const FLOOD_CALLS = 400
const FLOOD_AT_ONCE = 50

/** The parts of a storm that events act on. */
export interface Stage {
  readonly world: StormWorld
  readonly streams: StormStreams
  readonly random: Random
  readonly tally: StormTally
}

/** An event, and how often it is drawn. */
interface StormEvent {
  readonly name: string
  /** How often the event is drawn, relative to other events. */
  readonly weight: number
  readonly run: (stage: Stage) => Promise<void>
}

/**
 * With these weights, a process runs for two minutes on average. This is long enough for its caches to fill, and for a
 * leak to show.
 */
const EVENTS: readonly StormEvent[] = [
  { name: 'process killed', weight: 2, run: ({ world, tally }) => world.restart('SIGKILL', () => tally.noteKill()) },
  {
    name: 'process stopped cleanly',
    weight: 1,
    run: ({ world, tally }) => world.restart('SIGTERM', () => tally.noteKill()),
  },
  { name: 'thread killed', weight: 9, run: killThread },
  { name: 'streams cut', weight: 9, run: async ({ streams, random }) => streams.cut(1 + below(random, 10)) },
  { name: 'feed fault', weight: 24, run: spoilFeed },
  { name: 'disk full', weight: 6, run: fillDisk },
  { name: 'clock jump', weight: 6, run: jump },
  { name: 'slow readers', weight: 6, run: readSlowly },
  { name: 'flood', weight: 6, run: flood },
  { name: 'reload', weight: 6, run: async ({ world }) => world.reload() },
  { name: 'import', weight: 3, run: ({ world }) => world.run('import', '--force', 'city') },
]

/** While one of these events runs, no other event starts. All others may overlap. */
const ALONE = new Set(['process killed', 'process stopped cleanly', 'disk full', 'import', 'clock jump'])

/** Causes events until it is stopped. */
export class StormEvents {
  private readonly stage: Stage
  private readonly isAllowed: (name: string) => boolean
  private isOver = false
  private readonly underWay = new Set<Promise<void>>()

  constructor(stage: Stage) {
    this.stage = stage
    // The disk is filled only if it is a file system of its own.
    this.isAllowed = (name) => name !== 'disk full' || stage.world.disk.isMounted
  }

  /** @param pauseMillis maximum pause before the next event is started */
  async run(pauseMillis: number): Promise<void> {
    const { random, tally } = this.stage
    const list = EVENTS.filter(({ name }) => this.isAllowed(name))
    const drawn = list.flatMap((each) => Array.from({ length: each.weight }, () => each))
    while (!this.isOver) {
      await Bun.sleep(below(random, pauseMillis))
      if (this.isOver) break
      const { name, run } = pick(random, drawn)
      const begin = async () => {
        tally.note(name)
        await run(this.stage)
      }
      if (ALONE.has(name)) await begin()
      else {
        const done = begin().finally(() => this.underWay.delete(done))
        this.underWay.add(done)
      }
    }
    await Promise.all(this.underWay)
  }

  stop(): void {
    this.isOver = true
  }
}

async function killThread({ world, tally }: Stage): Promise<void> {
  if (!world.killThread()) tally.note('thread spared')
}

async function spoilFeed({ world, random, tally }: Stage): Promise<void> {
  const [fault, feed] = [pick(random, FAULTS), pick(random, FEEDS)]
  tally.note(`fault ${fault}`)
  await world.agency.setFault(fault, feed)
  await Bun.sleep(FAULT_MILLIS.least + below(random, FAULT_MILLIS.more))
  await world.agency.setFault(null, feed)
}

async function fillDisk({ world, random }: Stage): Promise<void> {
  const { folder } = world.disk
  fillUp(folder, 0)
  await Bun.sleep(FULL_MILLIS.least + below(random, FULL_MILLIS.more))
  rmSync(join(folder, 'filler'), { force: true })
}

async function jump({ world, random }: Stage): Promise<void> {
  world.shiftMillis = below(random, 2 * MOST_JUMP_MILLIS) - MOST_JUMP_MILLIS
  await Bun.sleep(JUMP_MILLIS)
  world.shiftMillis = 0
}

/** Opens connections that request long responses and never read them. */
async function readSlowly({ world, random }: Stage): Promise<void> {
  const { hostname, port } = new URL(world.base)
  const sockets: Socket[] = []
  for (let at = 0; at < SLOW_READERS; at++) {
    const socket = connect({ host: hostname, port: Number(port) })
    socket.on('error', () => socket.destroy())
    socket.pause()
    const address = `198.51.100.${at}`
    const path = `/v1/networks/${pick(random, world.networks).id}/stops?limit=1000`
    const head = `host: x\r\nauthorization: Bearer none\r\nx-forwarded-for: ${address}`
    socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n\r\n`)
    sockets.push(socket)
  }
  await Bun.sleep(SLOW_MILLIS)
  for (const socket of sockets) socket.destroy()
}

/** Sends calls without a valid key, as if from many addresses. */
async function flood({ world, random, tally }: Stage): Promise<void> {
  let left = FLOOD_CALLS
  const call = async () => {
    while (left-- > 0) {
      const address = `203.0.113.${below(random, 250)}`
      const headers = { authorization: `Bearer quai_${below(random, 1e9)}`, 'x-forwarded-for': address }
      const status = await fetch(`${world.base}/v1/networks`, { headers }).then(
        async (answer) => {
          await answer.arrayBuffer()
          return answer.status
        },
        () => 0, // the process was killed
      )
      if (status === 200) tally.check('floods', 'a call without a valid key returned 200')
    }
  }
  await Promise.all(Array.from({ length: FLOOD_AT_ONCE }, call))
}
