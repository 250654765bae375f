// Runs jobs in a child process of this program. A job takes no memory or time from the serving threads. If it crashes,
// hangs or runs out of memory, the service continues.
import { existsSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { ownCommand } from './own-command.ts'

/** A job that takes longer than this is considered hung and is killed. */
const LONGEST_MILLIS = 60 * 60_000

const ERROR = /^(quai|error|\w*Error): /

/** The result of a job: the last line of its output, which is JSON, or why it failed. */
export type JobResult =
  | { readonly kind: 'done'; readonly line: string }
  | { readonly kind: 'failed'; readonly message: string }

/**
 * Runs a job. `order` is sent to the child process through a pipe, not as arguments, because the process list must not
 * show secrets. The job does not read the configuration file, which may have changed since this process read it.
 * @param command the first argument, by which main.ts selects the job
 */
export async function runChildJob(command: string, order: unknown): Promise<JobResult> {
  const child = Bun.spawn([...ownCommand(), command], {
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
  if (line.startsWith('{')) return { kind: 'done', line }
  const why = reasonOf(talk)
  const how = child.signalCode === null ? `exit status ${exitCode}` : `signal ${child.signalCode}`
  return { kind: 'failed', message: why === '' ? `the import exited with ${how}` : why }
}

/**
 * The reason for a job's failure, taken from its stderr output. After an uncaught error, the message is followed by the
 * stack and the version of Bun.
 */
export function reasonOf(output: string): string {
  const lines = output.trim().split('\n')
  return (lines.findLast((line) => ERROR.test(line)) ?? lines.at(-1) ?? '').replace(/^quai: /, '')
}

/**
 * Lowers the priority of a job's process, so that serving threads run first and the kernel's OOM killer ends the job
 * before the server.
 */
function yieldToServing(pid: number): void {
  const oomScore = `/proc/${pid}/oom_score_adj`
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
    if (existsSync(oomScore)) writeFileSync(oomScore, '1000')
  } catch {
    // The child process has already exited, or the system does not allow the change. The job also works with normal
    // priority.
  }
}
