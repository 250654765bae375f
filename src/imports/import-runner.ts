// Imports beside a server: each network's import runs in a child process of this very program, so that neither
// its memory nor its time is a serving thread's, and its death leaves the old snapshot serving.
import { existsSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { ownCommand } from '../system/own-command.ts'
import type { ImportOrder } from './import-network.ts'
import type { ImportReport } from './import-report.ts'

/** What became of an import in a child process. */
export type ImportOutcome =
  | { readonly kind: 'imported' | 'up_to_date'; readonly report: ImportReport }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string }

/** An import that takes longer hangs: it is ended, and tried again like any that failed. */
const LONGEST_MILLIS = 60 * 60_000
/** Why an import failed that says nothing more, in one word. */
export const IMPORT_FAILED = 'static_import_failed'

/**
 * Runs an import in a child process; never throws for one that failed. The order goes over a pipe: it is what holds in
 * this process, whatever the configuration file says meanwhile, and no secret of it stands in a list of processes.
 */
export async function importInChild(order: ImportOrder): Promise<ImportOutcome> {
  const child = Bun.spawn([...ownCommand(), 'import-child'], {
    stdin: new Blob([JSON.stringify(order)]),
    stdout: 'pipe',
    stderr: 'pipe',
    env: process.env,
    timeout: LONGEST_MILLIS,
    killSignal: 'SIGKILL',
  })
  yieldToServing(child.pid)
  const [output, talk, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  const line = output.trim().split('\n').at(-1) ?? ''
  if (line.startsWith('{')) {
    const report = JSON.parse(line) as ImportReport
    if (report.outcome === 'imported' || report.outcome === 'up_to_date') return { kind: report.outcome, report }
    const { refusal, reason, outcome } = report
    return { kind: 'failed', reason: reason ?? IMPORT_FAILED, message: refusal ?? `the feed was ${outcome}` }
  }
  const why = (talk.trim().split('\n').at(-1) ?? '').replace(/^quai: /, '')
  const how = child.signalCode === null ? `exit status ${exitCode}` : `signal ${child.signalCode}`
  return { kind: 'failed', reason: IMPORT_FAILED, message: why === '' ? `the import ended with ${how}` : why }
}

/** Serving threads go first; and where memory runs out, the kernel takes the import rather than the server. */
function yieldToServing(pid: number): void {
  const oomScore = `/proc/${pid}/oom_score_adj`
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
    if (existsSync(oomScore)) writeFileSync(oomScore, '1000')
  } catch {
    // It has ended already, or this system does not let us: the import is right without it.
  }
}
