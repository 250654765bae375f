// Replaces the node:fs functions that segments use, for the model of metering. Calls can fail as on a full, broken or
// read-only disk, or the process can die during a call.
import * as fs from 'node:fs'

export { closeSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'

/** How the disk fails. With `half`, it becomes full during a write; with `death`, the process dies. */
export type DiskFault = 'ENOSPC' | 'EIO' | 'EROFS' | 'half' | 'death'

/**
 * Simulates that the process dies during an operation. A write then has half of its effect, and any other operation has
 * none. No later code runs.
 */
export class Death extends Error {
  override readonly name = 'Death'
}

const plan: { fault: DiskFault | undefined; operations: number; hits: number } = {
  fault: undefined,
  operations: 0,
  hits: 0,
}

/**
 * Plans a fault. The first `afterOperations` operations succeed, and all later ones fail, until planFault is called
 * again.
 */
export function planFault(fault: DiskFault | undefined, afterOperations = 0): void {
  plan.fault = fault
  plan.operations = afterOperations
  plan.hits = 0
}

/** The number of operations that failed since the last call of planFault. */
export function faultHits(): number {
  return plan.hits
}

function isDue(): boolean {
  if (plan.fault === undefined || plan.operations-- > 0) return false
  plan.hits++
  return true
}

function fail(name: string): never {
  if (plan.fault === 'death') throw new Death(`the process died at ${name}`)
  const code = plan.fault === 'half' ? 'ENOSPC' : plan.fault
  throw Object.assign(new Error(`${code}: simulated, ${name}`), { code })
}

/** Like the node:fs function, but opening a file for writing can fail. */
export function openSync(...words: Parameters<typeof fs.openSync>): number {
  const writes = words[1] !== 'r'
  if (writes && isDue()) fail('open')
  return fs.openSync(...words)
}

/**
 * Like the node:fs function, but can fail. With `half` and `death`, half of the bytes are written before the failure.
 */
export function writeSync(file: number, bytes: Uint8Array, offset: number, length: number, position: number): number {
  if (!isDue()) return fs.writeSync(file, bytes, offset, length, position)
  if (plan.fault === 'half' || plan.fault === 'death') fs.writeSync(file, bytes, offset, length >> 1, position)
  return fail('write')
}

/** Like the node:fs function, but can fail. */
export function fsyncSync(file: number): void {
  if (isDue()) fail('fsync')
  fs.fsyncSync(file)
}

/** Like the node:fs function, but can fail. */
export function ftruncateSync(file: number, length: number): void {
  if (isDue()) fail('ftruncate')
  fs.ftruncateSync(file, length)
}

/** Like the node:fs function, but can fail. */
export function renameSync(from: string, to: string): void {
  if (isDue()) fail('rename')
  fs.renameSync(from, to)
}

/** Like the node:fs function, but can fail. */
export function rmSync(path: string, options?: fs.RmOptions): void {
  if (isDue()) fail('rm')
  fs.rmSync(path, options)
}
