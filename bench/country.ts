// `bun run bench country` measures the place search in generated countries with one, five and 26 million addresses
// (France has 26 million): the searches, the snapshot size, the import, and the first search on a thread. QUAI_COUNTRY
// is a folder that keeps the country between runs. QUAI_COUNTRY_SIZES sets the numbers of addresses.
// QUAI_COUNTRY_POSTCODES and QUAI_COUNTRY_STREETS name files with real communes and streets.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addressSnapshotPath } from '../src/places/address-store.ts'
import { importCountry, makeCountry } from './country-stages.ts'
import { showFigure } from './figures.ts'

/** The number of addresses in a short run, as in CI. */
const SMALL = 100_000
const SIZES = [1_000_000, 5_000_000, 26_000_000]
/** Limits for 26 million addresses, in milliseconds, bytes per address and megabytes. */
const BARS = {
  letterByLetter: { p50: 0.5, p95: 5, p99: 10 },
  whole: { p99: 2 },
  missing: { p99: 20 },
  bytes: 28,
  importMegabytes: 3000,
  firstMillis: 50,
}
/** Limits for a short run on a busy machine. Only a search that has become much slower exceeds them. */
const SMALL_BARS = { letterByLetter: { p50: 2, p95: 20, p99: 40 }, whole: { p99: 20 }, missing: { p99: 40 } }

const kept = process.env['QUAI_COUNTRY']
const root = kept ?? mkdtempSync(join(tmpdir(), 'quai-country-'))
const isShort = process.env['QUAI_BENCH_SHORT'] === '1'
const sizes = process.env['QUAI_COUNTRY_SIZES']?.split(',').map(Number) ?? (isShort ? [SMALL] : SIZES)
try {
  for (const addresses of sizes) await measure(addresses)
} finally {
  if (kept === undefined) rmSync(root, { recursive: true })
}

interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

interface Times extends Percentiles {
  /** Processor time, which does not grow if the machine runs other processes. */
  readonly processor: Percentiles
  readonly slowest: { readonly millis: number; readonly text: string }
}

async function measure(addresses: number): Promise<void> {
  const country = await makeCountry(root, addresses, {
    postcodes: process.env['QUAI_COUNTRY_POSTCODES'],
    streets: process.env['QUAI_COUNTRY_STREETS'],
  })
  const imported = await importCountry(country)
  const bytes = statSync(addressSnapshotPath(country.dataDir)).size
  const found: Found = JSON.parse(await search(country.dataDir))
  const firstMillis = Number(await search(country.dataDir, 'warmed'))
  console.log(`${imported.houseCount} addresses, ${found.streets} streets, ${found.names} names, ${found.words} words`)
  const isWhole = addresses === SIZES.at(-1)
  const say = (name: string, value: number, unit: string, bar?: number) => {
    const figure = { name: `${addresses} addresses: ${name}`, value, unit }
    const curve = { name, at: addresses, atUnit: 'addresses' }
    showFigure(bar === undefined ? { ...figure, curve } : { ...figure, curve, atMost: bar })
  }
  const bars = isWhole ? BARS : addresses === SMALL ? SMALL_BARS : undefined
  for (const share of ['p50', 'p95', 'p99'] as const) {
    say(`letter by letter, ${share}`, found.letterByLetter[share], 'ms', bars?.letterByLetter[share])
  }
  say('whole label, p99', found.whole.p99, 'ms', bars?.whole.p99)
  say('a letter missing, p99', found.missing.p99, 'ms', bars?.missing.p99)
  say('letter by letter, p99, processor time', found.letterByLetter.processor.p99, 'ms')
  say('whole label, p99, processor time', found.whole.processor.p99, 'ms')
  say('a letter missing, p99, processor time', found.missing.processor.p99, 'ms')
  for (const { slowest } of [found.letterByLetter, found.whole, found.missing]) {
    console.log(`  slowest ${slowest.millis.toFixed(2)} ms: ${slowest.text}`)
  }
  say('nearest address, p50', found.reverse.p50, 'ms')
  say('nearest address, p99', found.reverse.p99, 'ms')
  say('whole label, found', found.wholeFound, '')
  say('a letter missing, found', found.missingFound, '')
  say('size per address', bytes / imported.houseCount, 'bytes', isWhole ? BARS.bytes : undefined)
  say('import, peak memory', imported.peakMegabytes, 'MB', isWhole ? BARS.importMegabytes : undefined)
  say('import', imported.seconds, 's')
  say('total size', bytes / 1e6, 'MB')
  say('a thread’s first search', firstMillis, 'ms', isWhole ? BARS.firstMillis : undefined)
  say('opened and searched at once', found.firstMillis, 'ms')
  say('first search, memory', found.firstMegabytes, 'MB')
}

interface Found {
  readonly firstMillis: number
  readonly firstMegabytes: number
  readonly letterByLetter: Times
  readonly whole: Times
  readonly missing: Times
  readonly reverse: Percentiles
  readonly wholeFound: number
  readonly missingFound: number
  readonly streets: number
  readonly names: number
  readonly words: number
}

/** Runs the searches in a separate process and returns its output. */
async function search(...more: readonly string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'country-search.ts'), ...more], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const output = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`the searches of ${more[0]} failed`)
  return output.trim()
}
