// Runs each import in a child process of this program: it takes no memory or time from serving threads, and if it
// crashes, the old snapshot stays served.
import { existsSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { ownCommand } from '../system/own-command.ts'
import type { ImportOrder } from './import-network.ts'
import type { ImportReport } from './import-report.ts'

/** Outcome of an import in a child process. */
export type ImportOutcome =
  | { readonly kind: 'imported' | 'up_to_date'; readonly report: ImportReport }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string }

/** An import that exceeds this is considered hung: it is killed and retried like any failed import. */
const LONGEST_MILLIS = 60 * 60_000
/** Default reason of a failed import. */
export const IMPORT_FAILED = 'static_import_failed'

/**
 * Runs an import in a child process; never throws if it fails. The order goes through a pipe: it carries the settings
 * of this process even if the file has changed, and keeps secrets out of the process list.
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
  return { kind: 'failed', reason: IMPORT_FAILED, message: why === '' ? `the import exited with ${how}` : why }
}

/**
 * Lowers the import's priority: serving threads run first, and the kernel's OOM killer picks the import before the
 * server.
 */
function yieldToServing(pid: number): void {
  const oomScore = `/proc/${pid}/oom_score_adj`
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
    if (existsSync(oomScore)) writeFileSync(oomScore, '1000')
  } catch {
    // The child already exited, or the system does not allow it; the import works without it.
  }
}
