// Static files of a page: compressed once, named by content hash, sent as gzip or uncompressed.
import { join } from 'node:path'
import { isUnchanged } from '../http/entity-tag.ts'
import { takesGzip } from '../http/request-head.ts'

/** A file of a page. */
export interface PageFile {
  /** Path relative to the page, without a leading slash; empty for the page itself. Other paths contain a hash. */
  readonly path: string
  readonly type: string
  /** The gzipped content in base64. */
  readonly packed: string
}

/** A file ready to serve. */
export interface ServedFile {
  readonly type: string
  readonly tag: string
  readonly cacheControl: string
  readonly packed: Blob
  readonly plain: Blob
}

export const SCRIPT_TYPE = 'text/javascript; charset=utf-8'
export const STYLE_TYPE = 'text/css; charset=utf-8'
const GZIP_LEVEL = 9
/** For files with a hash in their name, which never change. */
const KEPT = 'public, max-age=31536000, immutable'
/** For the page itself, which clients revalidate on each use. */
const ASKED_AGAIN = 'no-cache'

/** Compresses a file. */
export function packFile(path: string, type: string, content: string): PageFile {
  const bytes = Bun.gzipSync(Buffer.from(content), { level: GZIP_LEVEL })
  return { path, type, packed: Buffer.from(bytes).toString('base64') }
}

/** Returns the logo that all pages use. */
export async function packMark(): Promise<PageFile> {
  const mark = await Bun.file(join(import.meta.dir, 'app', 'mark.svg')).text()
  return packFile(hashedName('mark', 'svg', mark), 'image/svg+xml', mark)
}

/** Returns a name with a hash of the content, so that the file can be cached forever. */
export function hashedName(name: string, ending: string, content: string): string {
  return `${name}-${Bun.hash.xxHash64(content).toString(36)}.${ending}`
}

/** Returns files ready to serve, by path. */
export function serveFiles(files: readonly PageFile[]): ReadonlyMap<string, ServedFile> {
  return new Map(files.map((file) => [file.path, toServed(file)]))
}

/** Decompresses a file for serving. */
function toServed({ path, type, packed }: PageFile): ServedFile {
  const bytes = Buffer.from(packed, 'base64')
  return {
    type,
    tag: `W/"${Bun.hash.xxHash64(bytes).toString(36)}"`,
    cacheControl: path === '' ? ASKED_AGAIN : KEPT,
    packed: new Blob([bytes]),
    plain: new Blob([Bun.gunzipSync(bytes)]),
  }
}

/** Responds with a file. For HEAD, the server drops the body and keeps its length. */
export function fileResponse(file: ServedFile, request: Request): Response {
  const headers = new Headers({ 'Cache-Control': file.cacheControl, ETag: file.tag, Vary: 'Accept-Encoding' })
  if (isUnchanged(request.headers.get('if-none-match'), file.tag)) return new Response(null, { status: 304, headers })
  const isPacked = takesGzip(request.headers.get('accept-encoding'))
  headers.set('Content-Type', file.type)
  if (isPacked) headers.set('Content-Encoding', 'gzip')
  return new Response(isPacked ? file.packed : file.plain, { headers })
}
