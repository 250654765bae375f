// Operations on a cluster for use by commands. A command runs beside the replicas and is not a replica itself.
import type { Confirm } from '../accounts/account-operations.ts'
import type { FleetReport } from '../accounts/fleet.ts'
import type { ReplicaConfig } from '../config/config.ts'
import { awaitConfirmed } from './change-log.ts'
import { TRUE_PACE } from './pace.ts'
import { openFleetStore } from './postgres-fleet-store.ts'

/** The operations on a cluster that are available to commands. */
export interface CommandFleet {
  readonly confirm: Confirm
  report(): Promise<FleetReport>
  /**
   * Ends a replica and releases its units. Returns false if there is no running replica with this id, and no ended one
   * that still holds units.
   */
  forget(id: string): Promise<boolean>
  close(): Promise<void>
}

/** Connects to a cluster's database and returns the operations on the cluster. */
export function openCommandFleet(config: ReplicaConfig): CommandFleet {
  const store = openFleetStore(config)
  return {
    async confirm(change) {
      const result = await change
      const names = await awaitConfirmed(store, TRUE_PACE)
      return names.length === 0 ? result : { ...result, unconfirmed: names }
    },
    report: () => store.report(),
    async forget(id) {
      const found = (await store.listReplicas()).some((each) => each.id === id)
      if (!found) return false
      await store.end(id, 'forgotten', null)
      while ((await store.settle(id, undefined)) > 0);
      return true
    },
    close: () => store.close(),
  }
}
