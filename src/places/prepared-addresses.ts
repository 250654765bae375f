// The addresses of the configuration made ready to be served: imported where they changed, else as they lie on disk.
import type { Config } from '../config/config.ts'
import { addressSnapshotPath, openAddresses } from './address-store.ts'
import { importInThread } from './address-thread.ts'
import type { AddressesMessage } from './served-addresses.ts'

/** Kinds of problem that the operator is told of. */
const PROBLEMS_TOLD = 5

/**
 * What the data threads are to serve; undefined where no addresses are configured, or none can be served. What went wrong
 * is said: stops are found without addresses.
 */
export async function prepareAddresses(
  config: Pick<Config, 'addresses' | 'dataDir'>,
  say: (line: string) => void,
): Promise<AddressesMessage | undefined> {
  const { addresses, dataDir } = config
  if (addresses.length === 0) return undefined
  const imported = await importInThread({ dataDir, sources: addresses.map(({ source }) => source) })
  if (typeof imported === 'string') say(`addresses: ${imported}`)
  else {
    const { outcome, houseCount, problems } = imported
    say(`addresses: ${houseCount} ${outcome === 'imported' ? 'imported' : 'up to date'}`)
    for (const { rule, file, line, count, example } of problems.slice(0, PROBLEMS_TOLD)) {
      say(`addresses: ${rule} ×${count} (${file}:${line} "${example}")`)
    }
  }
  const path = addressSnapshotPath(dataDir)
  if (openAddresses(path) === undefined) return undefined
  return { path, attribution: addresses.map(({ attribution }) => attribution).filter((line) => line !== '') }
}
