// Imports next to a running server: feeds are downloaded in parallel, then each network is imported in a child process
// when a slot is free.
import { statSync } from 'node:fs'
import { isWebAddress } from '../sources/source-stamp.ts'
import { FeedFetcher } from './feed-fetcher.ts'
import type { ImportOrder } from './import-network.ts'
import { IMPORT_FAILED, type ImportOutcome, importInChild } from './import-runner.ts'
import { type ImportLimits, ImportSlots } from './import-slots.ts'

/** Memory of an import: a base, plus a factor per byte of its feeds (measured: about 25 for a zip, 3 for a folder). */
const OWN_BYTES = 100 * 1024 ** 2
const BYTES_PER_ZIP_BYTE = 30
/** Folders are not measured: a folder counts as a feed of some 1.5 million stop times. */
const FOLDER_BYTES = 400 * 1024 ** 2

/** The imports of a server. */
export class BackgroundImports {
  private readonly fetcher = new FeedFetcher()
  private readonly slots: ImportSlots

  constructor(limits?: ImportLimits) {
    this.slots = new ImportSlots(limits)
  }

  /**
   * Imports a network. Never throws: a failure to start the import, such as a lack of file descriptors, is reported and
   * retried like any other failure. @param onBegin called when the feeds are about to be read
   */
  async run(order: ImportOrder, onBegin: () => void): Promise<ImportOutcome> {
    try {
      return await this.runOrThrow(order, onBegin)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return { kind: 'failed', reason: IMPORT_FAILED, message: `starting the import failed: ${why}` }
    }
  }

  close(): void {
    this.fetcher.close()
  }

  private async runOrThrow(order: ImportOrder, onBegin: () => void): Promise<ImportOutcome> {
    const isOnWeb = order.feeds.some(({ source }) => isWebAddress(source))
    const outcome = isOnWeb ? await this.fetcher.fetch(order) : undefined
    if (outcome?.kind === 'failed') {
      return { kind: 'failed', reason: outcome.reason ?? IMPORT_FAILED, message: outcome.message }
    }
    const fetched = outcome?.feeds
    const paths = fetched?.map(({ path }) => path) ?? order.feeds.map(({ source }) => source)
    return await this.slots.run(expectedBytes(paths), async () => {
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
