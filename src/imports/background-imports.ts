// Imports beside a server: feeds on the web are fetched without waiting for each other, then each network is imported in
// a child process when there is a place for it.
import { statSync } from 'node:fs'
import { isWebAddress } from '../sources/source-stamp.ts'
import { FeedFetcher } from './feed-fetcher.ts'
import type { ImportOrder } from './import-network.ts'
import { IMPORT_FAILED, type ImportOutcome, importInChild } from './import-runner.ts'
import { type ImportLimits, ImportSlots } from './import-slots.ts'

/** What an import takes for itself, and for each byte of its feeds: measured at some 25 for a zip, 3 for a folder. */
const OWN_BYTES = 100 * 1024 ** 2
const BYTES_PER_ZIP_BYTE = 30
/** A folder's files are not looked through: it is taken for a feed of some 1.5 million stop times. */
const FOLDER_BYTES = 400 * 1024 ** 2

/** The imports of a server. */
export class BackgroundImports {
  private readonly fetcher = new FeedFetcher()
  private readonly slots: ImportSlots

  constructor(limits?: ImportLimits) {
    this.slots = new ImportSlots(limits)
  }

  /**
   * Imports a network. Never throws: what keeps an import from being begun (no file or process is to be had) is a failure
   * like any other, and is tried again.
   * @param onBegin called when the feeds are about to be read
   */
  async run(order: ImportOrder, onBegin: () => void): Promise<ImportOutcome> {
    try {
      return await this.runOrThrow(order, onBegin)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return { kind: 'failed', reason: IMPORT_FAILED, message: `the import could not be run: ${why}` }
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

/** The memory an import of these feeds is expected to take. */
function expectedBytes(paths: readonly string[]): number {
  return paths.reduce((bytes, path) => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return bytes
    return bytes + (found.isDirectory() ? FOLDER_BYTES : found.size * BYTES_PER_ZIP_BYTE)
  }, OWN_BYTES)
}
