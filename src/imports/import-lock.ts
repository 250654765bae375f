// Allows one import per network at a time, so that the server and an operator do not build the same thing twice.

import { snapshotFolder } from '../networks/snapshot-store.ts'
import { DataDirBusy, type DataDirLock, lockFolder } from '../system/data-dir-lock.ts'

const RETRY_MILLIS = 100

/** Waits for the lock, which is released if its holder is killed. `onWait` is called once if it has to wait. */
export async function lockImport(
  order: { readonly dataDir: string; readonly network: string },
  onWait: () => void,
): Promise<DataDirLock> {
  const folder = snapshotFolder(order.dataDir, order.network)
  for (let tries = 0; ; tries++) {
    try {
      return lockFolder(folder)
    } catch (error) {
      if (!(error instanceof DataDirBusy)) throw error
      if (tries === 0) onWait()
    }
    await Bun.sleep(RETRY_MILLIS)
  }
}
