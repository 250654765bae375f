// Imports networks while the server runs: feeds are downloaded in parallel, then each network is imported in a child
// process when a slot is free.
import { statSync } from 'node:fs'
import { stampInput } from '../sources/feed-sources.ts'
import { isWebAddress } from '../sources/source-stamp.ts'
import { FeedFetcher } from './feed-fetcher.ts'
import type { ImportOrder } from './import-network.ts'
import { IMPORT_FAILED, type ImportOutcome, importInChild } from './import-runner.ts'
import { type ImportLimits, ImportSlots } from './import-slots.ts'

/**
 * The estimated memory of an import is OWN_BYTES, plus BYTES_PER_ZIP_BYTE for each byte of its zip files. In
 * measurements, imports took about 25 bytes of memory for each byte of zip.
 */
const OWN_BYTES = 100 * 1024 ** 2
const BYTES_PER_ZIP_BYTE = 30
/**
 * Estimated memory for a feed in a folder. The folder's size is not measured; this is enough for 1.5 million stop
 * times.
 */
const FOLDER_BYTES = 400 * 1024 ** 2

/** Options of an import run. */
export interface ImportWish {
  /** Called when the feeds are about to be read. */
  readonly onBegin: () => void
  /** Returns the stamp of the feeds that are already served, if any. Feeds with that stamp are not imported again. */
  readonly knownStamp?: () => string | undefined
}

/** Runs the imports of one server process. */
export class BackgroundImports {
  private readonly fetcher = new FeedFetcher()
  private readonly slots: ImportSlots

  constructor(limits?: ImportLimits) {
    this.slots = new ImportSlots(limits)
  }

  /**
   * Imports a network. Never throws: a failure to start the import, such as a lack of file descriptors, is reported and
   * retried like any other failure.
   */
  async run(order: ImportOrder, wish: ImportWish): Promise<ImportOutcome> {
    try {
      return await this.runOrThrow(order, wish)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return { kind: 'failed', reason: IMPORT_FAILED, message: `starting the import failed: ${why}` }
    }
  }

  close(): void {
    this.fetcher.close()
  }

  private async runOrThrow(order: ImportOrder, { onBegin, knownStamp }: ImportWish): Promise<ImportOutcome> {
    const isOnWeb = order.feeds.some(({ source }) => isWebAddress(source))
    const outcome = isOnWeb ? await this.fetcher.fetch(order) : undefined
    if (outcome?.kind === 'failed') {
      return { kind: 'failed', reason: outcome.reason ?? IMPORT_FAILED, message: outcome.message }
    }
    const fetched = outcome?.feeds
    const feeds = fetched ?? order.feeds.map((feed) => ({ ...feed, path: feed.source, label: '' }))
    // Comparing stamps is far cheaper than a child process that hashes the feeds.
    const isKnown = knownStamp !== undefined && !order.force && stampInput(feeds, order.timezone) === knownStamp()
    if (isKnown) return { kind: 'up_to_date' }
    return await this.slots.run(expectedBytes(feeds.map(({ path }) => path)), async () => {
      onBegin()
      return await importInChild({ ...order, ...(fetched && { fetched }) })
    })
  }
}

/** Estimated memory for importing these feeds. */
function expectedBytes(paths: readonly string[]): number {
  return paths.reduce((bytes, path) => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return bytes
    return bytes + (found.isDirectory() ? FOLDER_BYTES : found.size * BYTES_PER_ZIP_BYTE)
  }, OWN_BYTES)
}
