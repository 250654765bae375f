// Gives commands the account operations: those of the running server, or, if no server runs, operations on the database
// itself. While a command uses the database itself, the data directory is locked.

import { AccountBook } from '../accounts/account-book.ts'
import type { AccountOperations, Unconfirmed } from '../accounts/account-operations.ts'
import { toOperations } from '../accounts/account-operations.ts'
import { AccountRefusal, StoreDamaged, StoreUnavailable } from '../accounts/account-store.ts'
import { findStatementFaults } from '../accounts/month-closing.ts'
import { openAccountStore } from '../accounts/open-account-store.ts'
import { firstReportDay, loadUsedPeppers } from '../accounts/open-accounts.ts'
import { RevocationFile } from '../accounts/revocation-file.ts'
import { type Config, isReplicaConfig } from '../config/config.ts'
import { connectControl } from '../control/control-socket.ts'
import { PepperUnavailable } from '../keys/pepper.ts'
import { findPast, Ledger } from '../metering/ledger.ts'
import { LiveUsage } from '../metering/live-usage.ts'
import { lastChargedDay } from '../metering/quota-seed.ts'
import { segmentFolder } from '../metering/segment.ts'
import { listOrdinals, readSegment } from '../metering/segment-recovery.ts'
import { utcDayOf, utcDayStartMillis } from '../metering/utc-day.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { awaitHolder, DataDirBusy, type DataDirLock, DataDirUnusable, lockFolder } from '../system/data-dir-lock.ts'
import { refuseOtherOwner } from '../system/folder-owner.ts'
import type { CommandIo } from './command-io.ts'
import { toPrintable } from './printable.ts'

/** How long a command waits for a server to start or for another command to finish. */
const WAIT_MILLIS = 5_000
const RETRY_MILLIS = 50

/** Exit status of a rejected or failed command. */
export const FAILED = 1

/** Runs a command with the account operations and returns the exit status. Rejections go to stderr. */
export async function withAccounts(
  config: Config,
  io: CommandIo,
  run: (operations: AccountOperations) => Promise<number>,
): Promise<number> {
  return reportingFaults(io, async () => {
    const opened = await openOperations(config)
    try {
      return await run(opened.operations)
    } finally {
      await opened.close()
    }
  })
}

/** Runs a command and writes expected errors to stderr. All other errors are thrown. */
export async function reportingFaults(io: CommandIo, run: () => Promise<number>): Promise<number> {
  try {
    return await run()
  } catch (error) {
    const isExpected = [
      AccountRefusal,
      DataDirBusy,
      DataDirUnusable,
      PepperUnavailable,
      StoreDamaged,
      StoreUnavailable,
    ].some((kind) => error instanceof kind)
    if (!(isExpected && error instanceof Error)) throw error
    io.stderr(`quai: ${error.message}\n`)
    return FAILED
  }
}

/** In a cluster: prints which replicas have not confirmed a change yet. */
export function printUnconfirmed({ unconfirmed }: Unconfirmed, io: CommandIo): void {
  if (unconfirmed !== undefined)
    io.stderr(
      `the change is stored, but these replicas have not confirmed it yet: ${toPrintable(unconfirmed.join(', '))}\n`,
    )
}

interface OpenedOperations {
  readonly operations: AccountOperations
  close(): Promise<void>
}

async function openOperations(config: Config): Promise<OpenedOperations> {
  const giveUpAtMillis = performance.now() + WAIT_MILLIS
  for (;;) {
    const running = await connectControl(config.dataDir)
    if (running !== undefined) return { operations: running, close: async () => {} }
    refuseOtherOwner(config.dataDir)
    await awaitHolder(config.dataDir)
    try {
      return await openOwnOperations(config, lockFolder(config.dataDir))
    } catch (error) {
      if (!(error instanceof DataDirBusy) || performance.now() > giveUpAtMillis) throw error
    }
    await Bun.sleep(RETRY_MILLIS)
  }
}

/** Operations without a server. They do not change slot files: only a server moves counts from there to the ledger. */
async function openOwnOperations(config: Config, lock: DataDirLock): Promise<OpenedOperations> {
  try {
    const store = await openAccountStore(config)
    const fleet = isReplicaConfig(config)
      ? (await import('../cluster/command-fleet.ts')).openCommandFleet(config)
      : undefined
    const close = async () => {
      await Promise.all([store.close(), fleet?.close()])
      lock.release()
    }
    try {
      const folder = segmentFolder(config.dataDir)
      const contents = listOrdinals(folder).map((ordinal) => ({ ordinal, content: readSegment(folder, ordinal) }))
      const readable = contents.flatMap(({ ordinal, content }) => (content === undefined ? [] : [{ ordinal, content }]))
      const ordinals = readable.map(({ ordinal }) => ordinal)
      const slots = readable.map(({ content }) => content)
      const past = findPast(await store.listUsage(), slots, firstReportDay(TRUE_CLOCK))
      const days = slots.flatMap((content) => content.slots)
      const chargedMillis = utcDayStartMillis(lastChargedDay({ segments: [], past: [...past, ...days] }))
      const book = new AccountBook({
        store,
        peppers: () => loadUsedPeppers(store, config),
        audience: config.audience,
        plans: config.plans,
        clock: TRUE_CLOCK,
        ledgerClock: { nowMillis: () => Math.max(TRUE_CLOCK.nowMillis(), chargedMillis) },
        revocations: new RevocationFile(config.dataDir),
        usage: new LiveUsage({ folder, ordinals, past }),
        publish: async () => {}, // no other thread has a key ring to update
      })
      const ledger = new Ledger(folder, ordinals, store)
      const today = utcDayOf(TRUE_CLOCK.nowMillis())
      const verify = async () => {
        const found = await ledger.verify(today, async () => {})
        const unreadable = contents.filter(({ content }) => content === undefined)
        const faults = unreadable.map(({ ordinal }) => `the slot file of data thread ${ordinal} has no valid header`)
        return { ...found, faults: [...found.faults, ...faults, ...(await findStatementFaults(store))] }
      }
      return {
        operations: toOperations(book, { verifyLedger: verify, ...(fleet && { confirm: fleet.confirm }) }),
        close,
      }
    } catch (error) {
      await Promise.all([store.close(), fleet?.close()])
      throw error
    }
  } catch (error) {
    lock.release()
    throw error
  }
}
