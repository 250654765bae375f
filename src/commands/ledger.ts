// `quai ledger verify`: compares the data threads' usage slots with the rows in the ledger.
import type { Config } from '../config/config.ts'
import { countText } from '../system/count-text.ts'
import { FAILED, withAccounts } from './account-access.ts'
import type { CommandIo } from './command-io.ts'

/** Reports whether slots and ledger rows match. Returns exit status 1 if they do not. */
export async function runLedgerVerify(config: Config, options: { json?: boolean }, io: CommandIo): Promise<number> {
  return withAccounts(config, io, async (operations) => {
    const found = await operations.verifyLedger({})
    if (options.json === true) io.stdout(`${JSON.stringify(found, null, 2)}\n`)
    else {
      io.stdout(
        `ledger: ${countText(found.rows, 'row')}, ${countText(found.ledger_units, 'unit')}; slot files: ${countText(found.slots, 'slot')}\n`,
      )
      if (found.pending_slots > 0) {
        io.stdout(
          `not in the ledger yet: ${countText(found.pending_units, 'unit')} in ${countText(found.pending_slots, 'slot')}; the next flush writes them\n`,
        )
      }
      for (const fault of found.faults) io.stdout(`fault: ${fault}\n`)
      if (found.faults.length === 0) io.stdout('slots and rows match\n')
    }
    return found.faults.length === 0 ? 0 : FAILED
  })
}
