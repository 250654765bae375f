// `quai replicas list | forget` and `quai roles`.

import type { CommandFleet } from '../cluster/command-fleet.ts'
import { type Config, isReplicaConfig } from '../config/config.ts'
import { FAILED, reportingFaults } from './account-access.ts'
import { type CommandIo, toTable } from './command-io.ts'
import { toPrintable, toPrintableJson, toPrintableRows } from './printable.ts'

/** Lists the replicas that have not ended, and ended replicas whose granted units have not been released yet. */
export async function runReplicasList(config: Config, options: { json?: boolean }, io: CommandIo): Promise<number> {
  return withFleet(config, io, async (fleet) => {
    const report = await fleet.report()
    if (options.json === true) {
      io.stdout(`${toPrintableJson(report)}\n`)
      return 0
    }
    const rows = report.replicas.map((each) => [
      each.id,
      each.name,
      each.ended_why === null ? each.state : `${each.state} (${each.ended_why})`,
      each.is_ready ? 'yes' : 'no',
      each.age_seconds === null ? 'never' : `${each.age_seconds} s ago`,
      String(each.version_lag),
      String(each.units_held),
      each.config_differs ? 'differs' : 'same',
    ])
    const header = ['ID', 'NAME', 'STATE', 'READY', 'HEARD', 'BEHIND', 'UNITS HELD', 'CONFIG']
    io.stdout(toTable(header, toPrintableRows(rows)))
    return 0
  })
}

/** Lists the roles, each with the replica that has it. */
export async function runRoles(config: Config, options: { json?: boolean }, io: CommandIo): Promise<number> {
  return withFleet(config, io, async (fleet) => {
    const { roles, replicas } = await fleet.report()
    if (options.json === true) {
      io.stdout(`${toPrintableJson({ roles })}\n`)
      return 0
    }
    const rows = roles.map(({ name, holder, token, is_held }) => [
      name,
      is_held ? holder : '',
      is_held ? (replicas.find(({ id }) => id === holder)?.name ?? '') : 'nobody',
      String(token),
    ])
    io.stdout(toTable(['ROLE', 'HOLDER', 'NAME', 'TOKEN'], toPrintableRows(rows)))
    return 0
  })
}

/** Ends a replica that will not come back, and releases the units that were granted to it. */
export async function runReplicasForget(
  config: Config,
  { id, json }: { readonly id: string; readonly json?: boolean },
  io: CommandIo,
): Promise<number> {
  return withFleet(config, io, async (fleet) => {
    const isFound = await fleet.forget(id)
    if (json === true) io.stdout(`${toPrintableJson({ id, is_found: isFound })}\n`)
    else if (isFound) io.stderr(`replica ${toPrintable(id)} was removed; if it is still running, it exits\n`)
    if (!isFound) io.stderr(`quai: no replica ${toPrintable(id)} is running or holds units\n`)
    return isFound ? 0 : FAILED
  })
}

async function withFleet(
  config: Config,
  io: CommandIo,
  run: (fleet: CommandFleet) => Promise<number>,
): Promise<number> {
  if (!isReplicaConfig(config)) {
    io.stderr('quai: the configuration has no [cluster], so there are no replicas\n')
    return FAILED
  }
  return reportingFaults(io, async () => {
    const { openCommandFleet } = await import('../cluster/command-fleet.ts')
    const fleet = openCommandFleet(config)
    try {
      return await run(fleet)
    } finally {
      await fleet.close()
    }
  })
}
