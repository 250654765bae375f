// Revocations that the database could not store yet, for example because the disk is full. The file is preallocated
// with zeros, so that writing a revocation needs no disk space.
//
//   file    512 records of 128 bytes; a free record is all zeros
//   record  key id · account id · Unix milliseconds · actor · CRC-32 of these values, as text separated by spaces
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { ACTORS, type Actor } from './account-event.ts'

const RECORD_BYTES = 128
const RECORD_COUNT = 512

/** A revocation that is not in the database yet. */
export interface PendingRevocation {
  readonly keyId: string
  readonly accountId: string
  readonly atMillis: number
  readonly actor: Actor
}

/** The revocation file of a data directory; the caller holds the directory's lock. */
export class RevocationFile {
  private readonly path: string
  /** The revocation in each record; undefined if the record is free. */
  private readonly records: (PendingRevocation | undefined)[]

  /** Opens or creates the file of a data directory; creating it needs disk space. */
  constructor(dataDir: string) {
    this.path = join(dataDir, 'revocations')
    if (!existsSync(this.path)) makeZeros(this.path)
    const bytes = readFileSync(this.path)
    this.records = Array.from({ length: RECORD_COUNT }, (_, at) =>
      parseRecord(bytes.toString('utf8', at * RECORD_BYTES, (at + 1) * RECORD_BYTES)),
    )
  }

  /** Revocations that are not in the database yet. */
  list(): PendingRevocation[] {
    return this.records.filter((record) => record !== undefined)
  }

  /** Stores a revocation and syncs it to disk. Returns false if the file is full. */
  add(revocation: PendingRevocation): boolean {
    const at = this.records.indexOf(undefined)
    if (at < 0) return false
    this.write(at, toRecord(revocation))
    this.records[at] = revocation
    return true
  }

  /** Removes a key's revocations from the file. Call this when the revocations are in the database. */
  remove(keyId: string): void {
    for (const [at, record] of this.records.entries()) {
      if (record?.keyId !== keyId) continue
      this.write(at, '')
      this.records[at] = undefined
    }
  }

  /** When a key was revoked; undefined if the file has no revocation for the key. */
  revokedAt(keyId: string): number | undefined {
    return this.records.find((record) => record?.keyId === keyId)?.atMillis
  }

  private write(at: number, text: string): void {
    const bytes = new Uint8Array(RECORD_BYTES)
    new TextEncoder().encodeInto(text, bytes)
    const file = openSync(this.path, 'r+')
    try {
      writeSync(file, bytes, 0, RECORD_BYTES, at * RECORD_BYTES)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  }
}

function toRecord({ keyId, accountId, atMillis, actor }: PendingRevocation): string {
  const text = `${keyId} ${accountId} ${atMillis} ${actor}`
  return `${text} ${Bun.hash.crc32(text)}\n`
}

/**
 * The revocation in a record; undefined if the record is free or was only partly written. A partly written revocation
 * was never confirmed to a client.
 */
function parseRecord(text: string): PendingRevocation | undefined {
  const [keyId, accountId, at, made, crc] = text.split('\n')[0]?.split(' ') ?? []
  if (keyId === undefined || accountId === undefined || at === undefined) return undefined
  if (crc !== String(Bun.hash.crc32(`${keyId} ${accountId} ${at} ${made}`))) return undefined
  const actor = ACTORS.find((each) => each === made)
  if (actor === undefined) return undefined
  return { keyId, accountId, atMillis: Number(at), actor }
}

function makeZeros(path: string): void {
  const part = `${path}.${process.pid}.part`
  const file = openSync(part, 'w', 0o600)
  try {
    writeSync(file, new Uint8Array(RECORD_BYTES * RECORD_COUNT))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(part, path)
}
