// `quai plans apply`: applies the plans in the configuration to the cluster.
import { notePlans } from '../accounts/month-closing.ts'
import { openAccountStore } from '../accounts/open-account-store.ts'
import { type Config, isReplicaConfig } from '../config/config.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { FAILED, printUnconfirmed, reportingFaults } from './account-access.ts'
import type { CommandIo } from './command-io.ts'

/** Stores the plans in the database. Running replicas read them there and apply them. */
export async function runPlansApply(config: Config, io: CommandIo): Promise<number> {
  if (!isReplicaConfig(config)) {
    io.stderr('quai: the configuration has no [cluster]; to apply its plans, restart the service or send it SIGHUP\n')
    return FAILED
  }
  return reportingFaults(io, async () => {
    const { openCommandFleet } = await import('../cluster/command-fleet.ts')
    const store = await openAccountStore(config)
    const fleet = openCommandFleet(config)
    try {
      printUnconfirmed(await fleet.confirm(applyPlans(config, store, io)), io)
      return 0
    } finally {
      await Promise.all([store.close(), fleet.close()])
    }
  })
}

async function applyPlans(
  { plans }: Config,
  store: Awaited<ReturnType<typeof openAccountStore>>,
  io: CommandIo,
): Promise<{ readonly isChanged: boolean }> {
  const isChanged = await notePlans({ store, clock: TRUE_CLOCK, plans })
  io.stderr(
    isChanged
      ? "the cluster now uses the configuration's plans\n"
      : "the cluster already uses the configuration's plans\n",
  )
  return { isChanged }
}
