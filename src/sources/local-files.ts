// Finds source files that are not feeds: address files and map extracts. A path is used as it is. A URL is downloaded
// if its content has changed.
import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { type DownloadBounds, downloadSource, LARGE_DEADLINE_MILLIS } from './download.ts'
import { nameSource } from './feed-sources.ts'
import { isWebAddress } from './source-stamp.ts'

/** A file on this machine. */
export interface LocalFile {
  readonly path: string
  /** Name of the file in messages; contains no secrets. */
  readonly name: string
}

/** Target and limits of downloads. */
export interface LocalFilesOrder {
  readonly folder: string
  /** Each downloaded file is named `<name>-<index of its source>`. */
  readonly name: string
  readonly bounds?: DownloadBounds
}

/** The sources as local files. Throws DownloadFailed, or the file system's error if a file is missing. */
export async function fetchFiles(sources: readonly string[], order: LocalFilesOrder): Promise<LocalFile[]> {
  const files: LocalFile[] = []
  for (const [ordinal, source] of sources.entries()) {
    const path = isWebAddress(source) ? await download(source, ordinal, order) : source
    // Throws if the file is missing, so that a missing file is reported before any file is read.
    statSync(path)
    files.push({ path, name: isWebAddress(source) ? nameSource(source) : basename(source) })
  }
  return files
}

async function download(url: string, ordinal: number, { folder, name, bounds }: LocalFilesOrder): Promise<string> {
  const order = { url, folder, name: `${name}-${ordinal}` }
  return (await downloadSource(order, { deadlineMillis: LARGE_DEADLINE_MILLIS, ...bounds })).path
}
