// Prepares the configured addresses for serving. Imports them if they have changed; otherwise, uses the snapshot on
// disk.
import type { Config } from '../config/config.ts'
import { addressSnapshotPath, openAddresses } from './address-store.ts'
import { importInThread } from './address-thread.ts'
import type { AddressesMessage } from './served-addresses.ts'
import { toWorded } from './stop-store.ts'

type AddressSettings = Pick<Config, 'addresses' | 'dataDir'>
type ImportSettings = Pick<Config, 'addresses' | 'dataDir' | 'networks'>

/** Maximum number of problems that are reported to the operator. Several problems of one kind count as one. */
const PROBLEMS_SHOWN = 5

/** The addresses on this machine, as the data threads serve them; undefined if there are none. */
export function presentAddresses({ addresses, dataDir }: AddressSettings): AddressesMessage | undefined {
  const path = addressSnapshotPath(dataDir)
  if (addresses.length === 0 || openAddresses(path) === undefined) return undefined
  return { path, attribution: addresses.map(({ attribution }) => attribution).filter((line) => line !== '') }
}

/** The result of preparing the addresses. */
export interface PreparedAddresses {
  /** The result of the import as a short message; empty if the import failed. */
  readonly summary: string
  /** The problems to report to the operator, one line each. */
  readonly problems: readonly string[]
}

/**
 * Imports the configured addresses if they have changed, and then updates the towns of the networks' stops. If the
 * import fails, the error is returned instead of thrown, because stops can still be found and the previous addresses
 * stay.
 */
export async function prepareAddresses({ addresses, dataDir, networks }: ImportSettings): Promise<PreparedAddresses> {
  if (addresses.length === 0) return { summary: '', problems: [] }
  const imported = await importInThread({
    dataDir,
    sources: addresses.map(({ source }) => source),
    networks: networks.map(toWorded),
  })
  if (typeof imported === 'string') return { summary: '', problems: [`addresses: ${imported}`] }
  const { outcome, houseCount, problems: found } = imported
  const problems = found
    .slice(0, PROBLEMS_SHOWN)
    .map(({ rule, file, line, count, example }) => `addresses: ${rule} ×${count} (${file}:${line} "${example}")`)
  return { summary: `addresses: ${houseCount} ${outcome === 'imported' ? 'imported' : 'up to date'}`, problems }
}
