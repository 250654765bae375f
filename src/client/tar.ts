// Packs a few small files into a tar archive (POSIX ustar). The same files always give the same bytes, because all
// entries have the same owner and time.

const BLOCK_BYTES = 512
/** 2026-01-01T00:00:00Z. Not 1970, because some unpackers warn about files from 1970. */
const MODIFIED_SECONDS = 1_767_225_600

/** Packs files into an archive. @param files path of at most 100 bytes → content */
export function tarBytes(files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const blocks = Object.entries(files).flatMap(([path, text]) => {
    const content = Buffer.from(text)
    return [header(path, content.length), content, Buffer.alloc(-content.length & (BLOCK_BYTES - 1))]
  })
  return Uint8Array.from(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]))
}

/** The header block that precedes a file's content. */
function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES)
  const write = (at: number, text: string) => block.write(text, at, 'latin1')
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  write(0, path)
  write(100, octal(0o644, 7))
  write(108, octal(0, 7)) // owner
  write(116, octal(0, 7)) // group
  write(124, octal(size, 11))
  write(136, octal(MODIFIED_SECONDS, 11))
  write(148, ' '.repeat(8)) // the checksum is computed with spaces in its own field
  write(156, '0') // type: a regular file
  write(257, 'ustar\x0000')
  write(
    148,
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )} `,
  )
  return block
}
