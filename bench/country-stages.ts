// Makes a generated country on disk in two stages: the address file, and the snapshot that is imported from it. A
// completed stage is repeated only if its input has changed.
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressSnapshotPath } from '../src/places/address-store.ts'
import { countryChunks } from './country-rows.ts'
import { loadWords, type WordSources } from './country-words.ts'

/** Version of the generator. Increase it when the generator makes a different country from the same seed. */
const MADE_AS = 1
const SEED = 20_261_121

/** A country on disk. */
export interface CountryFolder {
  readonly addresses: number
  /** The folder with `addresses.csv`. */
  readonly folder: string
  /** The data directory of the import. */
  readonly dataDir: string
}

/** The time and memory that an import took. */
export interface CountryImport {
  readonly seconds: number
  readonly peakMegabytes: number
  readonly houseCount: number
}

/** Generates a country of the given size, unless it is already on disk. */
export async function makeCountry(root: string, addresses: number, sources: WordSources): Promise<CountryFolder> {
  const folder = join(root, String(addresses))
  const country = { addresses, folder, dataDir: join(folder, 'data') }
  const stamp = stampOf(sources)
  if (isDone(folder, 'addresses', stamp)) return country
  mkdirSync(folder, { recursive: true })
  const started = performance.now()
  const part = join(folder, 'addresses.part')
  const writer = Bun.file(part).writer({ highWaterMark: 1 << 22 })
  for (const chunk of countryChunks(await loadWords(SEED, sources), addresses, SEED)) {
    writer.write(chunk)
    await writer.flush()
  }
  await writer.end()
  renameSync(part, join(folder, 'addresses.csv'))
  const seconds = (performance.now() - started) / 1000
  note(folder, 'addresses', { stamp, seconds })
  console.log(`made ${addresses} addresses in ${seconds.toFixed(0)} s`)
  return country
}

/**
 * Imports the addresses in a separate process. If this version of the code has already imported them, returns the
 * figures of that import.
 */
export async function importCountry({ folder, dataDir }: CountryFolder): Promise<CountryImport> {
  const before = read(folder, 'import')
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'country-import.ts'), folder], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const output = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`the import of ${folder} failed`)
  const { outcome, houseCount, seconds } = JSON.parse(output.trim())
  const peakMegabytes = (child.resourceUsage()?.maxRSS ?? 0) / 1e6
  if (outcome === 'up_to_date' && before !== undefined) return before as unknown as CountryImport
  const imported: CountryImport = { seconds, peakMegabytes, houseCount }
  note(folder, 'import', { ...imported, bytes: statSync(addressSnapshotPath(dataDir)).size })
  return imported
}

function stampOf(sources: WordSources): string {
  const files = [sources.postcodes, sources.streets].map((path) => (path === undefined ? '' : statSync(path).size))
  return JSON.stringify([MADE_AS, SEED, ...files])
}

function isDone(folder: string, stage: string, stamp: string): boolean {
  return read(folder, stage)?.['stamp'] === stamp && existsSync(join(folder, `${stage}.csv`))
}

function read(folder: string, stage: string): Record<string, unknown> | undefined {
  const path = join(folder, `${stage}.json`)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

function note(folder: string, stage: string, made: object): void {
  writeFileSync(join(folder, `${stage}.json`), `${JSON.stringify(made, undefined, 2)}\n`)
}
