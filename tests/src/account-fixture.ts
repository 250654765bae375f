// Helpers shared by the tests of access, metering and accounts, such as temporary data directories and a clock that
// tests set.

import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Caller, Gate } from '../../src/access/gate.ts'
import type { CommandIo } from '../../src/commands/command-io.ts'
import type { Clock } from '../../src/system/clock.ts'

/** Noon on an ordinary day: 2026-03-10T12:00:00Z. */
export const NOON_MILLIS = Date.UTC(2026, 2, 10, 12)
export const DAY_MILLIS = 86_400_000

const folders: string[] = []

/**
 * Creates a temporary folder. The folder is removed only after the last test in the file, when all services that use
 * the folder are closed.
 */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quai-test-'))
  folders.push(folder)
  return folder
}

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A clock that only moves when it is set. */
export class HandClock implements Clock {
  millis = NOON_MILLIS

  nowMillis(): number {
    return this.millis
  }
}

/** Records what a command writes to standard output and standard error. */
export class KeptOutput implements CommandIo {
  out = ''
  err = ''

  stdout(text: string): void {
    this.out += text
  }

  stderr(text: string): void {
    this.err += text
  }
}

/** Admits a key and returns its caller; throws if the key is refused. */
export function admitted(gate: Gate, key: string): Caller {
  const authentication = gate.authenticate(`Bearer ${key}`)
  if (authentication.kind === 'refused') throw new Error(`the key was rejected: ${authentication.reason}`)
  return authentication.caller
}

/** Uses units for a caller, as a successful call does; throws if the units are refused. */
export function spend(gate: Gate, caller: Caller, units: number): void {
  const taken = gate.reserve(caller, units)
  const refusal = 'reason' in taken ? taken : gate.charge(taken)
  if (refusal !== undefined) throw new Error(`the units were not granted: ${refusal.reason}`)
}

/** `accepted`, or the reason why the credential is refused. */
export function answerTo(gate: Gate, authorization: string | null): string {
  const authentication = gate.authenticate(authorization)
  return authentication.kind === 'refused' ? authentication.reason : 'accepted'
}
