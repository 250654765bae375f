// Files of a page as they are kept and answered: packed once, named by their content, sent under gzip or plain.
import { join } from 'node:path'
import { isUnchanged } from '../http/entity-tag.ts'
import { takesGzip } from '../http/request-head.ts'

/** A file of a page. */
export interface PageFile {
  /** Path under the page's own, without a slash before it; empty for the page itself. Others carry a hash. */
  readonly path: string
  readonly type: string
  /** Base64 of the bytes under gzip. */
  readonly packed: string
}

/** A file ready to be answered. */
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
/** A file whose name carries a hash of its content never changes. */
const KEPT = 'public, max-age=31536000, immutable'
/** The page names the others: it is asked for each time, and not sent again while it is the same. */
const ASKED_AGAIN = 'no-cache'

/** Packs a file. */
export function packFile(path: string, type: string, content: string): PageFile {
  const bytes = Bun.gzipSync(Buffer.from(content), { level: GZIP_LEVEL })
  return { path, type, packed: Buffer.from(bytes).toString('base64') }
}

/** The mark, which every page has. */
export async function packMark(): Promise<PageFile> {
  const mark = await Bun.file(join(import.meta.dir, 'app', 'mark.svg')).text()
  return packFile(hashedName('mark', 'svg', mark), 'image/svg+xml', mark)
}

/** A name that changes with the content, so that the file may be kept for ever. */
export function hashedName(name: string, ending: string, content: string): string {
  return `${name}-${Bun.hash.xxHash64(content).toString(36)}.${ending}`
}

/** Files ready to be answered, by their paths. */
export function serveFiles(files: readonly PageFile[]): ReadonlyMap<string, ServedFile> {
  return new Map(files.map((file) => [file.path, toServed(file)]))
}

/** Unpacks a file for answers. */
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

/** Answers a request with a file. The server drops the body of an answer to HEAD and keeps its length. */
export function fileResponse(file: ServedFile, request: Request): Response {
  const headers = new Headers({ 'Cache-Control': file.cacheControl, ETag: file.tag, Vary: 'Accept-Encoding' })
  if (isUnchanged(request.headers.get('if-none-match'), file.tag)) return new Response(null, { status: 304, headers })
  const isPacked = takesGzip(request.headers.get('accept-encoding'))
  headers.set('Content-Type', file.type)
  if (isPacked) headers.set('Content-Encoding', 'gzip')
  return new Response(isPacked ? file.packed : file.plain, { headers })
}
