// Tests of schema changes (migrations and additions), shared by both databases. A "program" is a version of Quai with
// its own list of steps; a step is one migration or addition. The tests fail if a program rejects a database that it
// could use, uses one that it cannot use, or omits or repeats a step.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { SchemaState } from '../../../src/accounts/schema-steps.ts'
import { roundsBySize } from '../../size.ts'
import { additionsOf, expectedShape, type History, histories, versionOf } from './schema-history.ts'

const RUNS = roundsBySize({ quick: 25, ci: 60, full: 400 })
/** Number of programs that start at the same time. */
const AT_ONCE = 4

/** A database, and programs with generated schemas that use it. */
export interface SchemaDatabase {
  clear(): Promise<void>
  /** Runs the program with these steps in this process. */
  start(history: History): Promise<void>
  /** Runs the program with these steps in a separate process. */
  spawn(history: History): Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  state(): Promise<SchemaState>
  /** What the database contains, in the same form as returned by `expectedShape`. */
  shape(): Promise<string[]>
}

/** Declares the tests for a kind of database. */
export function testSchemaContract(open: () => Promise<SchemaDatabase>): void {
  test('programs of one history, in any order: a newer one adds what is missing, an older one continues or is rejected', async () => {
    const database = await open()
    const starts = fc.array(fc.nat(8), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(histories, starts, async (history, lengths) => {
        await database.clear()
        let made = 0
        for (const [turn, length] of lengths.entries()) {
          const program = history.slice(0, length)
          if (turn === 0 || program.length > made) made = program.length
          const isRefused = versionOf(history.slice(0, made)) > versionOf(program)
          const started = database.start(program)
          if (isRefused)
            await expect(started).rejects.toThrow(`this Quai only supports versions up to ${versionOf(program)}`)
          else await started
          await expectSteps(database, history.slice(0, made))
        }
      }),
      { numRuns: RUNS },
    )
  }, 120_000)

  test('additions unknown to a program stay, and it makes its own alongside them', async () => {
    const database = await open()
    await database.start(['column', 'table'])
    await database.start(['index']) // by a program of another branch with the same number of migrations
    expect(await database.state()).toEqual({ version: 1, additions: ['column-0', 'index-0', 'table-1'] })
    await database.start(['index'])
    await database.start(['column', 'table'])
    expect(await database.shape()).toEqual(['other_1(id) ', 'things(id,column_0) index_0'])
  })

  test('programs that start at the same time run each step once', async () => {
    const database = await open()
    const older: History = ['column', 'rename', 'index']
    const newer: History = [...older, 'table', 'rename', 'column', 'index', 'table']
    for (const [from, to] of [
      [undefined, newer],
      [older, newer],
      [newer, newer],
    ]) {
      await database.clear()
      if (from !== undefined) await database.start(from)
      const programs = Array.from({ length: AT_ONCE }, () => database.spawn(to ?? newer))
      for (const program of programs) {
        const [status, errors] = await Promise.all([program.exited, new Response(program.stderr).text()])
        expect({ status, errors }).toEqual({ status: 0, errors: '' })
      }
      await expectSteps(database, to ?? newer)
    }
  }, 60_000)
}

/** Expects that a database has exactly these steps. */
export async function expectSteps(database: SchemaDatabase, history: History): Promise<void> {
  const additions = additionsOf(history).sort()
  expect(await database.state()).toEqual({ version: versionOf(history), additions })
  expect(await database.shape()).toEqual(expectedShape(history))
}
