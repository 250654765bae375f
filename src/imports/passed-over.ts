// The feed that an import refused or held last, so that the same feed is not built again and again in vain. The note
// counts only for this program, against the same served snapshot, and until the day on which the answer may change.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SNAPSHOT_FORMAT_VERSION } from '../../loaders/snapshot-file.ts'
import { snapshotFolder } from '../networks/snapshot-store.ts'
import { VERSION } from '../system/version.ts'
import { writeFileWhole } from '../system/whole-file.ts'
import type { ImportReport } from './import-report.ts'

/** The circumstances of an import. */
export interface Circumstances {
  readonly dataDir: string
  readonly network: string
  readonly feedHash: string
  /** Hash of the feed that serves; empty where none does. */
  readonly servedHash: string
  /** Service day, in days after 1970. */
  readonly today: number
}

interface Note {
  readonly program: string
  readonly feedHash: string
  readonly servedHash: string
  /** First day on which another try may end differently; null for never. */
  readonly untilDay: number | null
  readonly report: ImportReport
}

const PROGRAM = `${VERSION} ${SNAPSHOT_FORMAT_VERSION}`

function notePath(dataDir: string, network: string): string {
  return join(snapshotFolder(dataDir, network), 'passed-over.json')
}

/** The report of the import that passed this very feed over, if another try would end as that one did. */
export function findPassedOver(circumstances: Circumstances): ImportReport | undefined {
  const note = readNote(notePath(circumstances.dataDir, circumstances.network))
  if (note === undefined || note.program !== PROGRAM) return undefined
  if (note.feedHash !== circumstances.feedHash || note.servedHash !== circumstances.servedHash) return undefined
  return note.untilDay !== null && circumstances.today >= note.untilDay ? undefined : note.report
}

/** Notes a feed that was refused or held. */
export function notePassedOver(circumstances: Circumstances, report: ImportReport, untilDay: number | undefined): void {
  const { dataDir, network, feedHash, servedHash } = circumstances
  const note: Note = { program: PROGRAM, feedHash, servedHash, untilDay: untilDay ?? null, report }
  writeFileWhole(notePath(dataDir, network), JSON.stringify(note))
}

/** Forgets it: another feed was taken. */
export function forgetPassedOver(dataDir: string, network: string): void {
  rmSync(notePath(dataDir, network), { force: true })
}

/** A note that cannot be read is none: the feed is then built once more. */
function readNote(path: string): Note | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Note
  } catch {
    return undefined
  }
}
