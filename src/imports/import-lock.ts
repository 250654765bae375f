// Allows one import per network at a time, so that the server and an operator do not build the same snapshot twice.

import { snapshotFolder } from '../networks/snapshot-store.ts'
import { awaitFolder, type DataDirLock } from '../system/data-dir-lock.ts'

/** Waits for the lock, which is released if its holder is killed. `onWait` is called once if the lock is not free. */
export async function lockImport(
  order: { readonly dataDir: string; readonly network: string },
  onWait: () => void,
): Promise<DataDirLock> {
  return await awaitFolder(snapshotFolder(order.dataDir, order.network), onWait)
}
