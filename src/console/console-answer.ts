// Serves the console under /console of the account listener: its page, and the files the page names. What browsers are
// told to keep to stands on every answer of that listener: nothing inline, nothing from elsewhere. What scripts do to an
// element's style goes past that, so the chart needs no exception.
import { isUnchanged } from '../api/entity-tag.ts'
import { type ConsoleFile, consoleFiles } from './console-files.ts'

/** Where the page is. */
export const CONSOLE_PATH = '/console'

/** A file whose name carries a hash of its content never changes. */
const KEPT = 'public, max-age=31536000, immutable'
/** The page names the others: it is asked for each time, and not sent again while it is the same. */
const ASKED_AGAIN = 'no-cache'

interface ServedFile {
  readonly type: string
  readonly tag: string
  readonly cacheControl: string
  readonly packed: Blob
  readonly plain: Blob
}

/** Answers a request for the console; undefined where it is for something else, or for a file the console doesn't have. */
export async function consoleAnswer(request: Request): Promise<Response | undefined> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  const path = consolePath(new URL(request.url, 'http://localhost').pathname)
  if (path === undefined) return undefined
  const file = (await served()).get(path)
  return file === undefined ? undefined : fileResponse(file, request)
}

/** The path under /console, without slashes around it; undefined where it isn't under /console. */
function consolePath(pathname: string): string | undefined {
  if (pathname === CONSOLE_PATH) return ''
  return pathname.startsWith(`${CONSOLE_PATH}/`) ? pathname.slice(CONSOLE_PATH.length + 1) : undefined
}

/** An Accept-Encoding that names gzip, but not with the weight 0. */
const GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/

function fileResponse(file: ServedFile, request: Request): Response {
  const headers = new Headers({
    'Cache-Control': file.cacheControl,
    ETag: file.tag,
    Vary: 'Accept-Encoding',
  })
  if (isUnchanged(request.headers.get('if-none-match'), file.tag)) return new Response(null, { status: 304, headers })
  const takesGzip = GZIP.test(request.headers.get('accept-encoding') ?? '')
  headers.set('Content-Type', file.type)
  if (takesGzip) headers.set('Content-Encoding', 'gzip')
  // The server drops the body of an answer to HEAD and keeps its length.
  return new Response(takesGzip ? file.packed : file.plain, { headers })
}

let made: Promise<ReadonlyMap<string, ServedFile>> | undefined

/** All files by path, made ready when the first is asked for; after a failure they are tried again. */
function served(): Promise<ReadonlyMap<string, ServedFile>> {
  made ??= consoleFiles().then(
    (files) => new Map(files.map((file) => [file.path, toServed(file)])),
    (error: unknown) => {
      made = undefined
      throw error
    },
  )
  return made
}

function toServed({ path, type, packed }: ConsoleFile): ServedFile {
  const bytes = Buffer.from(packed, 'base64')
  return {
    type,
    tag: `W/"${Bun.hash.xxHash64(bytes).toString(36)}"`,
    cacheControl: path === '' ? ASKED_AGAIN : KEPT,
    packed: new Blob([bytes]),
    plain: new Blob([Bun.gunzipSync(bytes)]),
  }
}
