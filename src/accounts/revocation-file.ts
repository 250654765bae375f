// Revocations that the database could not take, as on a full disk: kept in a file of written zeros, so that writing one
// needs no room, until the database has them.
//
//   file    512 records of 128 bytes; a free one is zeros
//   record  key id · account id · milliseconds after 1970 · actor · CRC-32 of these, as text with blanks between
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { ACTORS, type Actor } from './account-event.ts'

const RECORD_BYTES = 128
const RECORD_COUNT = 512

/** A key that must no longer work. */
export interface PendingRevocation {
  readonly keyId: string
  readonly accountId: string
  readonly atMillis: number
  readonly actor: Actor
}

/** The file of one data directory, whose lock the caller has. */
export class RevocationFile {
  private readonly path: string
  /** By record; undefined is free. */
  private readonly records: (PendingRevocation | undefined)[]

  /** Opens the file of a data directory, or makes it: the disk has to have room for it then. */
  constructor(dataDir: string) {
    this.path = join(dataDir, 'revocations')
    if (!existsSync(this.path)) makeZeros(this.path)
    const bytes = readFileSync(this.path)
    this.records = Array.from({ length: RECORD_COUNT }, (_, at) =>
      parseRecord(bytes.toString('utf8', at * RECORD_BYTES, (at + 1) * RECORD_BYTES)),
    )
  }

  /** What the database doesn't have yet. */
  list(): PendingRevocation[] {
    return this.records.filter((record) => record !== undefined)
  }

  /** Keeps a revocation, on the disk when it returns; false if there is no room for more. */
  add(revocation: PendingRevocation): boolean {
    const at = this.records.indexOf(undefined)
    if (at < 0) return false
    this.write(at, toRecord(revocation))
    this.records[at] = revocation
    return true
  }

  /** The database has these now. */
  remove(keyId: string): void {
    for (const [at, record] of this.records.entries()) {
      if (record?.keyId !== keyId) continue
      this.write(at, '')
      this.records[at] = undefined
    }
  }

  /** The instant at which a key was revoked, if the database doesn't have it yet. */
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

/** A record; undefined if it is free, or was torn while it was written: such a revocation was never answered. */
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
