// The addresses of the configuration made ready to be served: imported where they changed, else as they lie on disk.
import type { Config } from '../config/config.ts'
import { addressSnapshotPath, openAddresses } from './address-store.ts'
import { importInThread } from './address-thread.ts'
import type { AddressesMessage } from './served-addresses.ts'

type AddressSettings = Pick<Config, 'addresses' | 'dataDir'>

/** Kinds of problem that the operator is told of. */
const PROBLEMS_TOLD = 5

/** The addresses that lie on this machine, as the data threads are to serve them; undefined if there are none. */
export function presentAddresses({ addresses, dataDir }: AddressSettings): AddressesMessage | undefined {
  const path = addressSnapshotPath(dataDir)
  if (addresses.length === 0 || openAddresses(path) === undefined) return undefined
  return { path, attribution: addresses.map(({ attribution }) => attribution).filter((line) => line !== '') }
}

/** What became of the addresses. */
export interface PreparedAddresses {
  /** Others than those that lay here before. */
  readonly areNew: boolean
  /** What the operator is to be told. */
  readonly lines: readonly string[]
}

/**
 * Imports the addresses of the configuration where they changed. What goes wrong is told, not thrown: stops are found
 * without addresses, and those that lay here before stay.
 */
export async function prepareAddresses({ addresses, dataDir }: AddressSettings): Promise<PreparedAddresses> {
  if (addresses.length === 0) return { areNew: false, lines: [] }
  const imported = await importInThread({ dataDir, sources: addresses.map(({ source }) => source) })
  if (typeof imported === 'string') return { areNew: false, lines: [`addresses: ${imported}`] }
  const { outcome, houseCount, problems } = imported
  const told = problems
    .slice(0, PROBLEMS_TOLD)
    .map(({ rule, file, line, count, example }) => `addresses: ${rule} ×${count} (${file}:${line} "${example}")`)
  const areNew = outcome === 'imported'
  return { areNew, lines: [`addresses: ${houseCount} ${areNew ? 'imported' : 'up to date'}`, ...told] }
}
