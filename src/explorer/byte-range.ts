// Range requests (RFC 9110, section 14) for a single byte range.

/** A parsed Range header. `end` is exclusive. */
export type ByteRange =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' }

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/

/** Parses a Range header. Invalid and unsupported ranges are ignored, as RFC 9110 requires. */
export function readByteRange(header: string | null, size: number): ByteRange {
  const match = header === null ? null : ONE_RANGE.exec(header.trim())
  const [, first = '', last = ''] = match ?? []
  if (first === '' && last === '') return { kind: 'whole' }
  if (first === '') {
    const length = Number(last)
    return length === 0 || size === 0
      ? { kind: 'unsatisfiable' }
      : { kind: 'part', start: Math.max(0, size - length), end: size }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return { kind: 'whole' }
  if (start >= size) return { kind: 'unsatisfiable' }
  return { kind: 'part', start, end: last === '' ? size : Math.min(Number(last) + 1, size) }
}

/** Responds with a file, or with the requested part of it. @param caching the response's Cache-Control header */
export async function fileRangeResponse(file: Bun.BunFile, request: Request, caching = 'no-cache'): Promise<Response> {
  const { size, mtimeMs } = await file.stat()
  const tag = `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`
  const headers = new Headers({ 'Accept-Ranges': 'bytes', 'Cache-Control': caching, ETag: tag })
  const range = readByteRange(request.headers.get('range'), size)
  if (range.kind === 'unsatisfiable') {
    headers.set('Content-Range', `bytes */${size}`)
    return new Response(null, { status: 416, headers })
  }
  headers.set('Content-Type', 'application/octet-stream')
  if (range.kind === 'whole') return new Response(file, { headers })
  const { start, end } = range
  headers.set('Content-Range', `bytes ${start}-${end - 1}/${size}`)
  return new Response(file.slice(start, end), { status: 206, headers })
}
