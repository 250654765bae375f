// Tests feeds that change under load. A running server gets new snapshots in every possible way, and clients must
// notice nothing but the new data. Fails if a request is refused, if a response mixes two snapshots, if memory is not
// released, or if an import that is killed or runs out of disk space leaves anything but the old data.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type MarkedSize, markedFeed, stopIdOf } from '../feeds/marked-feed.ts'
import { dedent, type FeedTexts } from '../feeds/text-feed.ts'
import { writeZip } from '../feeds/zip-writer.ts'
import { bySize, SEED, SIZE } from '../size.ts'
import { slowTest } from '../slow-test.ts'
import { PacedClient, type PacedReading } from './paced-client.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'
import { fillUp, makeSmallDisk } from './small-disk.ts'

/**
 * A p99 up to this value is accepted, even if it is much higher than without reloads. At size `ci`, other work runs at
 * the same time, so only a stall is a fault.
 */
const P99_FLOOR_MILLIS = bySize({ quick: 200, ci: 200, full: 10 })

const MARKS = ['Alpha', 'Bravissimo'] as const
type Mark = (typeof MARKS)[number]

const FEED: MarkedSize = bySize({
  quick: { lines: 10, stops: 12, trips: 40 },
  ci: { lines: 40, stops: 20, trips: 100 },
  full: { lines: 200, stops: 30, trips: 100 },
})
const RELOADS = bySize({ quick: 2, ci: 4, full: 30 })
const KILLS = bySize({ quick: 2, ci: 6, full: 50 })
const FEED_OF_DISK: MarkedSize = { lines: 50, stops: 20, trips: 50 }
const PER_SECOND = 150
const PORT = 18_630
const CONFIG = `data_dir = "data"
[[networks]]
id = "ville"
name = "Ville"
gtfs = "ville.zip"
refresh_seconds = 1
`

/** The paths that clients request. Their responses combine data from several tables. */
const PATHS = Array.from({ length: 12 }, (_, number) => {
  const stop = `ville:stop:${stopIdOf(number % FEED.lines, number % (FEED.stops - 1))}`
  return [
    `/v1/stops/${stop}/departures?limit=20`,
    `/v1/stops/${stop}`,
    `/v1/lines/ville:line:l${number % FEED.lines}`,
    `/v1/departures/nearby?near=${48 + (number % FEED.lines) * 0.004},7.006&radius=800&limit=3`,
    `/v1/networks/ville/stops?q=stop&limit=20`,
  ]
}).flat()

/**
 * Returns a fault unless a response contains exactly one of `MARKS`. All names in a snapshot contain the same mark, so
 * a response with two marks mixes two snapshots.
 */
function checkMarks(text: string): string | undefined {
  const found = MARKS.filter((mark) => text.includes(mark))
  return found.length === 1 ? undefined : `marks ${found.join(', ') || 'none'} in ${text.slice(0, 2000)}`
}

const entriesOf = (files: FeedTexts) => Object.entries(files).map(([name, text]) => ({ name, content: dedent(text) }))
const zipOf = (mark: Mark, size: MarkedSize) => writeZip(entriesOf(markedFeed(mark, size)))

/**
 * The zip of each feed, created in advance: creating it later would slow down the clients, which run in this process.
 */
const ZIPS = { Alpha: zipOf('Alpha', FEED), Bravissimo: zipOf('Bravissimo', FEED) }

function writeFeed(folder: string, mark: Mark): void {
  writeFileSync(join(folder, 'ville.zip.new'), ZIPS[mark])
  renameSync(join(folder, 'ville.zip.new'), join(folder, 'ville.zip'))
}

/**
 * Memory of the service in MB, as its proportional set size: the kernel divides a shared page among the processes that
 * share it.
 */
function memoryOf(serving: Serving): number {
  const text = readFileSync(`/proc/${serving.child.pid}/smaps_rollup`, 'utf8')
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1]) / 1024
}

describe('a running server', () => {
  const service = new ServiceFolder(commandOf('source'), CONFIG)
  let serving: Serving
  let key = ''

  const read = () =>
    new PacedClient({ base: serving.base, key, paths: PATHS, perSecond: PER_SECOND, check: checkMarks })
  const readFor = async (millis: number): Promise<PacedReading> => {
    const client = read()
    await Bun.sleep(millis)
    return await client.stop()
  }
  const markServed = async (): Promise<string> => {
    const answer = await fetch(`${serving.base}/v1/lines/ville:line:l0`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const text = await answer.text()
    return MARKS.find((mark) => text.includes(mark)) ?? text
  }
  const lastError = async (): Promise<{ reason: string; message: string } | null> => {
    const answer = await fetch(`${serving.base}/v1/status`)
    return JSON.parse(await answer.text()).data[0].last_error
  }
  const snapshots = () => service.snapshots('ville')

  beforeAll(async () => {
    writeFeed(service.folder, 'Alpha')
    key = await service.makeKey('tests')
    serving = await service.serve({ workers: 2, port: PORT })
  }, 60_000)
  afterAll(async () => {
    await end(serving)
    rmSync(service.folder, { recursive: true })
  })

  /**
   * Replaces the feed. It is then imported on SIGHUP (`way` 0), by the command `import` (1), or by the server's own
   * regular check (2). Resolves when the feed is served.
   */
  const reload = async (mark: Mark, way: number): Promise<void> => {
    writeFeed(service.folder, mark)
    if (way === 0) serving.child.kill('SIGHUP')
    if (way === 1) expect(await service.run('import')).toMatchObject({ status: 0 })
    await until(async () => (await markServed()) === mark, `${mark} is served`)
  }

  slowTest(
    `${RELOADS} reloads under load`,
    async () => {
      await reload('Bravissimo', 0)
      await reload('Alpha', 1)
      const quiet = await readFor(bySize({ quick: 1_000, ci: 3_000, full: 10_000 }))
      const memoryBefore = memoryOf(serving)
      const readers = read()
      for (let number = 1; number <= RELOADS; number++) {
        await reload(MARKS[number % 2] as Mark, number % 3)
        await Bun.sleep(300)
      }
      const busy = await readers.stop()
      await Bun.sleep(2_500) // leaves time for the memory sweep after the last new snapshot
      const memoryAfter = memoryOf(serving)
      console.log(
        `${RELOADS} reloads, ${busy.count} responses: p99 ${busy.p99Millis.toFixed(1)} ms (quiet ${quiet.p99Millis.toFixed(1)} ms), memory ${memoryBefore.toFixed(0)} → ${memoryAfter.toFixed(0)} MB`,
      )
      expect([...quiet.failures, ...busy.failures].slice(0, 3)).toEqual([])
      expect(snapshots().length).toBe(3)
      if (SIZE === 'quick') return // a quick run is too short to measure memory
      expect(busy.p99Millis).toBeLessThanOrEqual(Math.max(2 * quiet.p99Millis, P99_FLOOR_MILLIS))
      expect(memoryAfter).toBeLessThanOrEqual(memoryBefore * 1.1)
    },
    600_000,
  )

  test(`an import killed at ${KILLS} random moments`, async () => {
    const served = await markServed()
    const other = MARKS.find((mark) => mark !== served) as Mark
    writeFeed(service.folder, served as Mark)
    let state = SEED
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state / 2 ** 32
    }
    const started = performance.now()
    expect(await service.run('import', '--force')).toMatchObject({ status: 0 })
    const wholeMillis = performance.now() - started
    const readers = read()
    let killed = 0
    for (let number = 0; number < KILLS; number++) {
      const child = service.spawn('import', '--force')
      await Bun.sleep(random() * wholeMillis)
      child.kill('SIGKILL')
      await child.exited
      if (child.signalCode !== null) killed++
    }
    expect(killed).toBeGreaterThan(0)
    const { failures } = await readers.stop()
    expect(failures.slice(0, 3)).toEqual([])
    await reload(other, 1)
    const left = readdirSync(join(service.folder, 'data', 'snapshots', 'ville')).filter((name) => /\.part$/.test(name))
    expect(left).toEqual([])
  }, 600_000)

  slowTest(
    'a rejected or held feed leaves the old one serving and is reported',
    async () => {
      const served = (await markServed()) as Mark
      const sound = readFileSync(join(service.folder, 'ville.zip'))
      writeFileSync(join(service.folder, 'ville.zip'), sound.subarray(0, sound.length / 2))
      await until(async () => service.lastImport('ville')?.outcome === 'refused', 'the truncated feed is rejected')
      writeFileSync(join(service.folder, 'ville.zip'), zipOf(served, { ...FEED, lines: Math.floor(FEED.lines / 2) }))
      await until(async () => service.lastImport('ville')?.outcome === 'held', 'the small feed is held')
      expect(checkMarks(await await markServed())).toBeUndefined()
      const linesOf = async () => {
        const answer = await fetch(`${serving.base}/v1/networks/ville`, { headers: { authorization: `Bearer ${key}` } })
        return JSON.parse(await answer.text()).data.stats.lines
      }
      expect(await linesOf()).toBe(FEED.lines)
      const held = await service.run('import')
      expect(held.status).toBe(1)
      expect(held.stderr).toContain('held')
      expect(await service.run('import', '--force')).toMatchObject({ status: 0 })
      await until(async () => (await linesOf()) === Math.floor(FEED.lines / 2), 'the forced feed is served')
      writeFeed(service.folder, served)
      await until(async () => (await linesOf()) === FEED.lines, 'the whole feed is served')
      // The status is cached for half a minute, so it may still show the earlier import error.
      expect(await lastError()).toSatisfy((error) => error === null || error.reason === 'static_import_failed')
    },
    120_000,
  )
})

slowTest(
  'an import on a full disk fails cleanly, readers do not notice, and the next one succeeds',
  async () => {
    const disk = makeSmallDisk(48)
    const service = new ServiceFolder(commandOf('source'), CONFIG, disk.folder)
    try {
      writeFileSync(join(disk.folder, 'ville.zip'), zipOf('Alpha', FEED_OF_DISK))
      const key = await service.makeKey('tests')
      const serving = await service.serve({ workers: 1, port: PORT + 4 })
      const paths = ['/v1/stops/ville:stop:s1-1/departures', '/v1/lines/ville:line:l0']
      const readers = new PacedClient({ base: serving.base, key, paths, perSecond: 50, check: checkMarks })
      writeFileSync(join(disk.folder, 'ville.zip.new'), zipOf('Alpha', { lines: 60, stops: 25, trips: 60 }))
      renameSync(join(disk.folder, 'ville.zip.new'), join(disk.folder, 'ville.zip'))
      for (const freeBytes of [0, 300_000]) {
        if (disk.isMounted) fillUp(disk.folder, freeBytes)
        const cramped = await service.runLimited(disk.isMounted ? undefined : 64, 'import')
        expect(cramped).toMatchObject({ status: 1, stderr: expect.stringContaining('no space left') })
      }
      await Bun.sleep(3_000) // meanwhile, the server checks the feed by itself
      rmSync(join(disk.folder, 'filler'), { force: true })
      expect(await service.run('import')).toMatchObject({ status: 0 })
      const names = readdirSync(join(disk.folder, 'data', 'snapshots', 'ville'))
      expect(names.filter((name) => name.endsWith('.part'))).toEqual([])
      const { failures } = await readers.stop()
      expect(failures.slice(0, 3)).toEqual([])
      expect(await end(serving)).toBe(0)
    } finally {
      disk.remove()
    }
  },
  120_000,
)
