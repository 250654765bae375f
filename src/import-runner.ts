// Imports beside a server: each network's import runs in a child process of this very program, so that neither
// its memory nor its time is a serving thread's, and its death leaves the old snapshot serving.
import type { ImportReport } from './import-network.ts'
import { ownCommand } from './own-command.ts'

/** What became of an import in a child process. */
export type ImportOutcome =
  | { readonly kind: 'imported'; readonly report: ImportReport }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string }

/** Runs `quai import NETWORK --json` with the same configuration; never throws for a failed import. */
export async function importInChild(network: string, configArguments: readonly string[]): Promise<ImportOutcome> {
  const child = Bun.spawn([...ownCommand(), 'import', network, '--json', ...configArguments], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: process.env,
  })
  const [output, talk, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  const line = output.trim().split('\n').at(-1) ?? ''
  if (line.startsWith('{')) {
    const report = JSON.parse(line) as ImportReport
    if (report.outcome !== 'refused') return { kind: 'imported', report }
    return { kind: 'failed', reason: 'static_import_failed', message: report.refusal ?? 'the feed was refused' }
  }
  const why = talk.trim().split('\n').at(-1) ?? ''
  const how = child.signalCode === null ? `exit status ${exitCode}` : `signal ${child.signalCode}`
  return { kind: 'failed', reason: 'static_import_failed', message: why === '' ? `the import ended with ${how}` : why }
}
