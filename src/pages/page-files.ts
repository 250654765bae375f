// Static files for a page. They are compressed once, have a content hash in their names, and are sent as Brotli, as
// gzip or uncompressed.
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { isUnchanged } from '../http/entity-tag.ts'
import { choosePageCoding } from '../http/request-head.ts'

/** A file of a page. */
export interface PageFile {
  /** Path relative to the page, without a leading slash; empty for the page itself. Other paths contain a hash. */
  readonly path: string
  readonly type: string
  /**
   * The file compressed with gzip, in base64. `brotli` is the file compressed with Brotli, also in base64, and is about
   * a sixth smaller.
   */
  readonly packed: string
  readonly brotli: string
}

/** A file ready to serve. */
export interface ServedFile {
  readonly type: string
  readonly tag: string
  readonly cacheControl: string
  readonly codings: Readonly<Record<'br' | 'gzip', Blob>>
  readonly plain: Blob
}

export const SCRIPT_TYPE = 'text/javascript; charset=utf-8'
export const STYLE_TYPE = 'text/css; charset=utf-8'
const GZIP_LEVEL = 9
/**
 * Brotli's best quality takes two seconds for the explorer's map code, so it is used only when the binary is built.
 * When the service runs from source, files are compressed at the first request, with quick quality.
 */
const BROTLI_QUALITY = { quick: 9, best: 11 }
/** Cache-Control for files with a hash in their names. Such files never change. */
const KEPT = 'public, max-age=31536000, immutable'
/** Cache-Control for the page itself, which clients revalidate on each use. */
const REVALIDATED = 'no-cache'

/** Compresses a file. */
export function packFile(path: string, type: string, content: string): PageFile {
  const bytes = Buffer.from(content)
  const packed = Buffer.from(Bun.gzipSync(bytes, { level: GZIP_LEVEL })).toString('base64')
  return { path, type, packed, brotli: toBrotli(bytes, BROTLI_QUALITY.quick) }
}

/** Compresses files again with the best quality of Brotli. */
export function packBest(files: readonly PageFile[]): PageFile[] {
  return files.map((file) => {
    const bytes = Buffer.from(Bun.gunzipSync(Buffer.from(file.packed, 'base64')))
    return { ...file, brotli: toBrotli(bytes, BROTLI_QUALITY.best) }
  })
}

function toBrotli(bytes: Buffer, quality: number): string {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  return brotliCompressSync(bytes, { params }).toString('base64')
}

/** The logo that all pages use, as a compressed file. */
export async function packMark(): Promise<PageFile> {
  const mark = await Bun.file(join(import.meta.dir, 'app', 'mark.svg')).text()
  return packFile(hashedName('mark', 'svg', mark), 'image/svg+xml', mark)
}

/** Returns a file name with a hash of the content, so that clients can cache the file forever. */
export function hashedName(name: string, ending: string, content: string): string {
  return `${name}-${Bun.hash.xxHash64(content).toString(36)}.${ending}`
}

/** Makes files ready to serve. Returns them by path. */
export function serveFiles(files: readonly PageFile[]): ReadonlyMap<string, ServedFile> {
  return new Map(files.map((file) => [file.path, toServed(file)]))
}

/** Decodes a file's compressed content, and sets its entity tag and Cache-Control. */
function toServed({ path, type, packed, brotli }: PageFile): ServedFile {
  const bytes = Buffer.from(packed, 'base64')
  return {
    type,
    tag: `W/"${Bun.hash.xxHash64(bytes).toString(36)}"`,
    cacheControl: path === '' ? REVALIDATED : KEPT,
    codings: { gzip: new Blob([bytes]), br: new Blob([Buffer.from(brotli, 'base64')]) },
    plain: new Blob([Bun.gunzipSync(bytes)]),
  }
}

/** Responds with a file. For HEAD, the server drops the body and keeps its length. */
export function fileResponse(file: ServedFile, request: Request): Response {
  const headers = new Headers({ 'Cache-Control': file.cacheControl, ETag: file.tag, Vary: 'Accept-Encoding' })
  if (isUnchanged(request.headers.get('if-none-match'), file.tag)) return new Response(null, { status: 304, headers })
  const coding = choosePageCoding(request.headers.get('accept-encoding'))
  headers.set('Content-Type', file.type)
  if (coding !== undefined) headers.set('Content-Encoding', coding)
  return new Response(coding === undefined ? file.plain : file.codings[coding], { headers })
}
