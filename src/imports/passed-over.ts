// Notes which feed the last import refused or held, so that the feed is not imported again in vain. The note is valid
// only for the same version of Quai and the same served snapshot, and only until the day on which the outcome may
// change.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SNAPSHOT_FORMAT_VERSION } from '../../loaders/snapshot-file.ts'
import { snapshotFolder } from '../networks/snapshot-store.ts'
import { VERSION } from '../system/version.ts'
import { writeFileWhole } from '../system/whole-file.ts'
import type { ImportReport } from './import-report.ts'

/** An import's feed, and everything else that decides whether the feed is refused or held. */
export interface Circumstances {
  readonly dataDir: string
  readonly network: string
  readonly feedHash: string
  /** Hash of the served feed; empty if no feed is served. */
  readonly servedHash: string
  /** Service day, in days since 1970. */
  readonly today: number
}

interface Note {
  readonly program: string
  readonly feedHash: string
  readonly servedHash: string
  /** First day, in days since 1970, on which another import may end differently; null if there is no such day. */
  readonly untilDay: number | null
  readonly report: ImportReport
}

const PROGRAM = `${VERSION} ${SNAPSHOT_FORMAT_VERSION}`

function notePath(dataDir: string, network: string): string {
  return join(snapshotFolder(dataDir, network), 'passed-over.json')
}

/** The report of the import that rejected this feed, if a retry would end the same way. */
export function findPassedOver(circumstances: Circumstances): ImportReport | undefined {
  const note = readNote(notePath(circumstances.dataDir, circumstances.network))
  if (note === undefined || note.program !== PROGRAM) return undefined
  if (note.feedHash !== circumstances.feedHash || note.servedHash !== circumstances.servedHash) return undefined
  return note.untilDay !== null && circumstances.today >= note.untilDay ? undefined : note.report
}

/** Writes the note about a refused or held feed. */
export function notePassedOver(circumstances: Circumstances, report: ImportReport, untilDay: number | undefined): void {
  const { dataDir, network, feedHash, servedHash } = circumstances
  const note: Note = { program: PROGRAM, feedHash, servedHash, untilDay: untilDay ?? null, report }
  writeFileWhole(notePath(dataDir, network), JSON.stringify(note))
}

/** Deletes the note after a feed was accepted. */
export function forgetPassedOver(dataDir: string, network: string): void {
  rmSync(notePath(dataDir, network), { force: true })
}

/** Reads the note. An unreadable note is ignored: the feed is imported again. */
function readNote(path: string): Note | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Note
  } catch {
    return undefined
  }
}
