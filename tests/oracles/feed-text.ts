// Reads the text of a GTFS zip or folder row by row, for oracles. Has its own simple and slow reader of archives and
// CSV, which shares no code with loaders. Callers interpret the rows.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fromBuffer, type ZipFile } from 'yauzl'

const END_OF_ZIP = Buffer.from([0x50, 0x4b, 0x05, 0x06])
const END_OF_ZIP_BYTES = 22

/** The files of one feed by name (`stops.txt`); each can be read repeatedly, as pieces of text. */
export type FeedText = ReadonlyMap<string, () => AsyncIterable<string>>

/**
 * Opens a feed: a zip, a folder, or the contents of files by name. If the root has no stops.txt, the only subfolder
 * that has one is used.
 */
export async function openFeedText(source: string | Readonly<Record<string, string>>): Promise<FeedText> {
  const files =
    typeof source !== 'string'
      ? listTexts(source)
      : statSync(source).isDirectory()
        ? listFolder(source)
        : await listZip(source)
  const roots = [...files.keys()].filter((name) => basename(name) === 'stops.txt').map((name) => dirname(name))
  const root = roots.sort((a, b) => a.split('/').length - b.split('/').length)[0] ?? '.'
  return new Map([...files].filter(([name]) => dirname(name) === root).map(([name, open]) => [basename(name), open]))
}

/** Calls `visit` with the trimmed values of `columns` for each row. A value is '' if the file or the row lacks it. */
export async function eachRow(
  feed: FeedText,
  file: string,
  columns: readonly string[],
  visit: (values: readonly string[]) => void,
): Promise<void> {
  const open = feed.get(file)
  if (open === undefined) return
  let header: string[] | undefined
  let places: number[] = []
  const take = (record: string) => {
    const cells = splitRecord(record)
    if (header === undefined) {
      header = cells
      places = columns.map((column) => cells.indexOf(column))
      return
    }
    if (cells.every((cell) => cell === '')) return
    // A row that has more values than columns is skipped, because its values may be in the wrong columns.
    if (cells.length > header.length && cells.slice(header.length).some((cell) => cell !== '')) return
    visit(places.map((place) => cells[place] ?? ''))
  }
  let rest = ''
  for await (const piece of open()) rest = takeRecords(rest + piece, take)
  if (rest.trim() !== '') take(rest)
}

/**
 * Passes each complete record in a string to `take` and returns the rest. A line end within quotes does not end a
 * record.
 */
function takeRecords(text: string, take: (record: string) => void): string {
  let start = 0
  let from = 0
  for (;;) {
    const end = text.indexOf('\n', from)
    if (end === -1) return text.slice(start)
    const record = text.slice(start, end)
    from = end + 1
    if (record.includes('"') && record.split('"').length % 2 === 0) continue
    if (record.trim() !== '') take(record)
    start = from
  }
}

function splitRecord(record: string): string[] {
  if (!record.includes('"')) return record.split(',').map((cell) => cell.trim())
  const cells: string[] = []
  let cell = ''
  let quoted = false
  for (let i = 0; i < record.length; i++) {
    const letter = record[i]
    if (quoted && letter === '"' && record[i + 1] === '"') {
      cell += '"'
      i++
    } else if (quoted) {
      if (letter === '"') quoted = false
      else cell += letter
    } else if (letter === '"' && cell.trim() === '') {
      cell = ''
      quoted = true
    } else if (letter === ',') {
      cells.push(cell.trim())
      cell = ''
    } else cell += letter
  }
  cells.push(cell.trim())
  return cells
}

function isJunk(name: string): boolean {
  return basename(name).startsWith('.') || name.split('/').includes('__MACOSX')
}

/** The bytes as text, without the byte order mark, which TextDecoder removes. */
async function* decode(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const piece of pieces) yield decoder.decode(piece, { stream: true })
  yield decoder.decode()
}

function listTexts(texts: Readonly<Record<string, string>>): Map<string, () => AsyncIterable<string>> {
  const encoder = new TextEncoder()
  return new Map(Object.entries(texts).map(([name, text]) => [name, () => decode([encoder.encode(text)])]))
}

function listFolder(folder: string): Map<string, () => AsyncIterable<string>> {
  const files = new Map<string, () => AsyncIterable<string>>()
  for (const inside of ['.', ...readdirSync(folder)]) {
    if (!existsSync(join(folder, inside)) || !statSync(join(folder, inside)).isDirectory()) continue
    for (const name of readdirSync(join(folder, inside))) {
      const path = join(inside, name)
      if (isJunk(path) || !statSync(join(folder, path)).isFile()) continue
      files.set(path, () => decode([readFileSync(join(folder, path))]))
    }
  }
  return files
}

async function listZip(path: string): Promise<Map<string, () => AsyncIterable<string>>> {
  const bytes = readFileSync(path)
  // Some publishers append bytes after the archive's end. yauzl would reject the archive because of them.
  const end = bytes.lastIndexOf(END_OF_ZIP)
  if (end === -1) throw new Error(`${path} is not a zip`)
  const whole = bytes.subarray(0, end + END_OF_ZIP_BYTES + bytes.readUInt16LE(end + END_OF_ZIP_BYTES - 2))
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    fromBuffer(whole, { lazyEntries: true, autoClose: false }, (error, opened) =>
      error === null ? resolve(opened) : reject(error),
    ),
  )
  const files = new Map<string, () => AsyncIterable<string>>()
  await new Promise<void>((resolve, reject) => {
    zip.on('error', reject)
    zip.on('end', resolve)
    zip.on('entry', (entry) => {
      const name: string = entry.fileName
      if (!name.endsWith('/') && !isJunk(name)) {
        files.set(name, async function* () {
          const stream = await new Promise<AsyncIterable<Uint8Array>>((opened, failed) =>
            zip.openReadStream(entry, (error, made) => (error === null ? opened(made) : failed(error))),
          )
          yield* decode(stream)
        })
      }
      zip.readEntry()
    })
    zip.readEntry()
  })
  return files
}
