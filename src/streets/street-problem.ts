// Explains why extracts could not be imported, with a reason for programs and a message for the operator.
import { ExtractRefused } from '../../loaders/osm/extract-refused.ts'
import { DownloadFailed } from '../sources/download-failed.ts'
import { isErrno } from '../system/errno.ts'
import type { StreetProblem } from './street-report.ts'

/** Converts an error to a problem that an operator can fix. Rethrows all other errors, because they are bugs. */
export function extractProblem(error: unknown, dataDir: string): StreetProblem {
  if (error instanceof ExtractRefused) {
    return { reason: `extract_${error.reason}`, message: error.message, isPassing: false }
  }
  if (error instanceof DownloadFailed) return { reason: error.reason, message: error.message, isPassing: true }
  if (error instanceof Error && isErrno(error, 'ENOENT', 'EACCES', 'EISDIR')) {
    return { reason: 'extract_unreadable', message: `an extract cannot be read: ${error.message}`, isPassing: false }
  }
  if (isErrno(error, 'ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL')) {
    return { reason: 'disk_full', message: `no space left in ${dataDir} for the streets and the map`, isPassing: true }
  }
  throw error
}
