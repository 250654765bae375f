// Tests the CSV scanner. It must read files from real producers correctly for any chunk boundaries, and refuse invalid
// CSV. Fails if a value is truncated, shifted or joined with its neighbor.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MAX_COLUMNS, MAX_FIELD_BYTES, MAX_ROW_BYTES, scanCsv } from '../../loaders/csv.ts'
import { FeedProblems, FeedRefused } from '../../loaders/feed-problems.ts'
import { bySize, SEED } from '../size.ts'

const encoder = new TextEncoder()
const runs = { seed: SEED, numRuns: bySize({ quick: 300, ci: 2_000, full: 20_000 }) }

interface Scanned {
  /** The header, then the rows; or the problem if the file is refused. */
  readonly rows: string[][] | string
  readonly lines: number[]
  /** The reported problems, as `action rule line ×count (example)`. */
  readonly reported: string[]
}

async function scanChunks(chunks: readonly Uint8Array[], maxRows?: number): Promise<Scanned> {
  const problems = new FeedProblems()
  const rows: string[][] = []
  const lines: number[] = []
  let refused: string | undefined
  async function* feed() {
    yield* chunks
  }
  try {
    await scanCsv(feed(), {
      file: 'f.txt',
      problems,
      columns: undefined,
      onHeader: (names) => rows.push([...names]),
      onRow: (row) => {
        rows.push(Array.from({ length: rows[0]?.length ?? 0 }, (_, column) => row.text(column)))
        lines.push(row.line)
      },
      ...(maxRows === undefined ? {} : { maxRows }),
    })
  } catch (error) {
    if (!(error instanceof FeedRefused)) throw error
    refused = `${error.problem.rule} at line ${error.problem.line}: ${error.problem.example}`
  }
  const reported = problems
    .list()
    .map(({ action, rule, line, count, example }) => `${action} ${rule} ${line} ×${count} (${example})`)
  return { rows: refused ?? rows, lines, reported }
}

async function scan(text: string | Uint8Array): Promise<Scanned> {
  return await scanChunks([typeof text === 'string' ? encoder.encode(text) : text])
}

/** One byte for each character, for input that is not UTF-8. */
function bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

/** The bytes, cut at the given places, even within a character. */
function cut(whole: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b)
  return [...ends, whole.length].map((end, i) => whole.subarray(i === 0 ? 0 : ends[i - 1], end))
}

describe('unusual input from producers', () => {
  const table = [
    ['a', 'b'],
    ['1', '2'],
    ['3', '4'],
  ]
  const same: Record<string, string> = {
    'line feeds': 'a,b\n1,2\n3,4\n',
    'no line break at the end': 'a,b\n1,2\n3,4',
    'carriage return and line feed': 'a,b\r\n1,2\r\n3,4\r\n',
    'carriage returns alone': 'a,b\r1,2\r3,4\r',
    'a header with a line feed, rows with a carriage return': 'a,b\n1,2\r3,4\r',
    'a byte-order mark': '\ufeffa,b\n1,2\n3,4\n',
    'quotes everywhere': '"a","b"\n"1","2"\n"3","4"\n',
    'a byte-order mark before a quote': '\ufeff"a","b"\n1,2\n3,4\n',
    'blanks and tabs around values': ' a , b\n 1,2 \n\t3\t, 4\n',
    'blanks around quotes, and within': ' "a" ,"b"\n" 1 ",2\n3, "4"\n',
    'empty lines, also of blanks': '\na,b\n\n1,2\n  \n3,4\n\n\n',
  }
  for (const [what, text] of Object.entries(same)) {
    test(what, async () => expect(await scan(text)).toMatchObject({ rows: table, reported: [] }))
  }

  test('two byte-order marks before the first name are removed; before a value they are kept', async () => {
    expect((await scan('\ufeff\ufeffa,b\n\ufeff1,2\n')).rows).toEqual([
      ['a', 'b'],
      ['\ufeff1', '2'],
    ])
  })

  test('quoted fields may contain commas, quotes and line breaks; a line break is reported and becomes a space', async () => {
    expect(await scan('a,b\n"x, ""y""","l\nm"\n"r\r\ns","""q"""\n5,6\n')).toEqual({
      rows: [
        ['a', 'b'],
        ['x, "y"', 'l m'],
        ['r s', '"q"'],
        ['5', '6'],
      ],
      lines: [2, 4, 6],
      reported: ['repaired new_line_in_value 2 ×2 ()'],
    })
  })

  test('a short row is padded with empty values; surplus values in a long one must be empty', async () => {
    expect(await scan('a,b,c\n1\n1,2,3,,\n1,2,3,x\n1,2,3\n')).toEqual({
      rows: [
        ['a', 'b', 'c'],
        ['1', '', ''],
        ['1', '2', '3'],
        ['1', '2', '3'],
      ],
      lines: [2, 3, 5],
      reported: [
        'repaired invalid_row_length 2 ×2 (1 fields, the header has 3)',
        'dropped_row invalid_row_length 4 ×1 (4 fields, the header has 3)',
      ],
    })
  })

  test('a comma after the header is a column without a name, which rows may omit', async () => {
    expect(await scan('a,b,\n1,2\n3,4,x\n')).toMatchObject({
      rows: [
        ['a', 'b', ''],
        ['1', '2', ''],
        ['3', '4', 'x'],
      ],
      reported: ['repaired empty_column_name 1 ×1 (column 3)'],
    })
  })

  test('surplus text is detected even beyond the maximum number of columns', async () => {
    expect(await scan(`a\n1${','.repeat(MAX_COLUMNS + 100)}x\n2\n`)).toMatchObject({ rows: [['a'], ['2']] })
  })
})

describe('bytes that are not UTF-8 text', () => {
  test('only a field that is not UTF-8 is read as Windows-1252', async () => {
    // The first é is one byte in Windows-1252. The second é is two bytes in UTF-8. The byte 0x9c is œ in Windows-1252
    // only.
    expect(await scan(bytes('a,b\n\xe9t\xe9,\xc3\xa9t\xc3\xa9\n1,2\n\x9c,3\n'))).toMatchObject({
      rows: [
        ['a', 'b'],
        ['été', 'été'],
        ['1', '2'],
        ['œ', '3'],
      ],
      reported: ['repaired invalid_character 2 ×2 (été)'],
    })
  })

  test('NUL bytes become blanks', async () => {
    expect(await scan('ab,b\n\0x\0,y\n')).toMatchObject({
      rows: [
        ['ab', 'b'],
        ['x', 'y'],
      ],
      reported: ['repaired invalid_character 2 ×1 (x)'],
    })
  })

  test('a replacement character in the feed is kept and reported once, for any chunk boundaries', async () => {
    const text = 'a,b\n1,"x\ny"\n2,Caf\ufffd\n\ufffd,"open\nand closed"\n'
    const rows = [
      ['a', 'b'],
      ['1', 'x y'],
      ['2', 'Caf\ufffd'],
      ['\ufffd', 'open and closed'],
    ]
    const whole = encoder.encode(text)
    for (let place = 0; place <= whole.length; place++) {
      const scanned = await scanChunks(cut(whole, [place, place + 5]))
      expect([
        place,
        scanned.rows,
        scanned.reported.filter((reported) => reported.includes('invalid_character')),
      ]).toEqual([place, rows, ['reported invalid_character 4 ×2 (Caf\ufffd)']])
    }
  })

  const utf16 = 'csv_parsing_failed at line 1: the file is UTF-16; GTFS files are UTF-8'
  const halves: Record<string, string> = {
    'little-endian, with a mark': '\xff\xfea\0,\0b\0\n\0',
    'big-endian, with a mark': '\xfe\xff\0a\0,\0b\0\n',
    'little-endian': 'a\0,\0b\0\n\0',
    'big-endian': '\0a\0,\0b\0\n',
  }
  for (const [what, text] of Object.entries(halves)) {
    test(`UTF-16 is rejected: ${what}`, async () => expect((await scan(bytes(text))).rows).toBe(utf16))
  }
})

describe('invalid CSV is rejected', () => {
  const refused: Record<string, [text: string, why: string]> = {
    'no bytes': ['', 'empty_file at line 0: no header'],
    'a byte-order mark alone': ['\ufeff', 'empty_file at line 0: no header'],
    'only line breaks': ['\n\r\n\n', 'empty_file at line 0: no header'],
    'a duplicate column': ['a,b,a\n1,2,3\n', 'duplicated_column at line 1: a'],
    'a duplicate column, except for blanks and quotes': ['a,b," a "\n', 'duplicated_column at line 1: a'],
    'a quote that is never closed': ['a,b\n1,"2\n3,4\n', 'csv_parsing_failed at line 2: a quote is never closed'],
    'a quote that is closed too late': [
      `a,b\n1,"${'x\n'.repeat(MAX_FIELD_BYTES)}`,
      'csv_parsing_failed at line 2: a quote is not closed within 65536 bytes',
    ],
    'a field that is too long': [
      `a\n${'x'.repeat(MAX_FIELD_BYTES + 1)}\n`,
      `csv_parsing_failed at line 2: a field is longer than ${MAX_FIELD_BYTES} bytes`,
    ],
    'an endless row': [
      `a\n${'x,'.repeat(600_000)}`,
      `csv_parsing_failed at line 2: a row is longer than ${MAX_ROW_BYTES} bytes`,
    ],
    'a header with too many columns': [
      `${Array.from({ length: MAX_COLUMNS + 1 }, (_, i) => `c${i}`).join(',')}\n`,
      `csv_parsing_failed at line 1: the header has more than ${MAX_COLUMNS} columns`,
    ],
  }
  for (const [what, [text, why]] of Object.entries(refused)) {
    test(what, async () => expect((await scan(text)).rows).toBe(why))
  }

  test('a field of exactly the maximum length is read', async () => {
    expect((await scan(`a\n${'x'.repeat(MAX_FIELD_BYTES)}\n`)).rows).toHaveLength(2)
  })

  test('too many rows', async () => {
    const text = encoder.encode('a\n1\n2\n3\n')
    expect((await scanChunks([text], 2)).rows).toBe('too_many_rows at line 4: the file has more than 2 rows')
    expect((await scanChunks([text], 3)).rows).toHaveLength(4)
  })
})

/**
 * A naive parser, which reads one character at a time from the whole text. It follows RFC 4180, trims values, and turns
 * line ends within quotes into spaces.
 */
function parseDumbly(text: string): string[][] {
  const rows: string[][] = [[]]
  let value = ''
  let isQuoted = false
  const endValue = () => {
    rows.at(-1)?.push(value.replace(/\r\n|[\r\n]/g, ' ').trim())
    value = ''
  }
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"' && isQuoted && text[at + 1] === '"') {
      value += '"'
      at++
    } else if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) value += character
    else if (character === ',') endValue()
    else if (character === '\n' || character === '\r') {
      endValue()
      rows.push([])
      if (character === '\r' && text[at + 1] === '\n') at++
    } else value += character
  }
  endValue()
  return rows.filter((row) => row.length > 1 || row[0] !== '')
}

describe('a file cut into chunks anywhere', () => {
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', '1', ' ', 'é', '–', '🚋', '.'), maxLength: 6 }),
    fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r\n', '\r', ' ', 'é'), maxLength: 8 }),
  )
  const places = fc.array(fc.nat(), { maxLength: 12 })

  test('gives the rows of the naive parser', async () => {
    const width = 3
    const file = fc.record({
      rows: fc.array(fc.array(fc.tuple(cell, fc.boolean()), { minLength: width, maxLength: width }), { maxLength: 8 }),
      lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
      hasMark: fc.boolean(),
      endsOpen: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(file, places, async ({ rows, lineEnd, hasMark, endsOpen }, places) => {
        const toField = (text: string, isQuoted: boolean) =>
          isQuoted || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
        const body = rows.map((row) => row.map(([text, isQuoted]) => toField(text, isQuoted)).join(','))
        const text = ['x,y,z', ...body].join(lineEnd) + (endsOpen ? '' : lineEnd)
        const whole = encoder.encode((hasMark ? '\ufeff' : '') + text)
        expect((await scanChunks(cut(whole, places))).rows).toEqual(parseDumbly(text))
      }),
      runs,
    )
  })

  test('gives the rows, lines and problems of a single chunk, however broken the file is', async () => {
    const piece = fc.constantFrom('a', 'bc', ',', '"', '""', '\n', '\r\n', '\r', ' ', '\t', '\0', '\xe9', '\xc3\xa9')
    const file = fc.array(piece, { maxLength: 60 }).map((pieces) => bytes(`x,y\n${pieces.join('')}`))
    // Problems on one line are listed in the order in which they were found. That order depends on the chunks, so the
    // problems are sorted before they are compared.
    const outcome = ({ rows, lines, reported }: Scanned) => ({ rows, lines, reported: reported.sort() })
    await fc.assert(
      fc.asyncProperty(file, places, async (whole, places) => {
        expect(outcome(await scanChunks(cut(whole, places)))).toEqual(outcome(await scan(whole)))
      }),
      runs,
    )
  })

  test('rows that end with a carriage return are released as they arrive, even megabytes of them', async () => {
    const rows = Array.from({ length: 200_000 }, (_, i) => [String(i), 'quai'])
    const whole = encoder.encode(`id,name\n${rows.map((row) => `${row.join(',')}\r`).join('')}`)
    expect(whole.length).toBeGreaterThan(2 * MAX_ROW_BYTES)
    expect((await scan(whole)).rows).toEqual([['id', 'name'], ...rows])
  })

  // A row in pieces of 16 bytes. If the scanner joined each piece to all pieces before it, each join would copy 0.4 MB
  // on average, which is 20 GB in total.
  test('a long row in small pieces takes time proportional to its length', async () => {
    const row = `${'x,'.repeat(200)}${`"${'y\n'.repeat(20_000)}",`.repeat(20)}z\n`
    const bytes = encoder.encode(`${Array.from({ length: 221 }, (_, at) => `c${at}`)}\n${row}a,b\n`)
    const pieces = Array.from({ length: Math.ceil(bytes.length / 16) }, (_, at) =>
      bytes.subarray(at * 16, at * 16 + 16),
    )
    const started = performance.now()
    const { rows, lines } = await scanChunks(pieces)
    expect([rows.length, lines]).toEqual([3, [2, 400_003]])
    expect(performance.now() - started).toBeLessThan(4_000)
  })

  test('a file of many chunks is read to its end', async () => {
    const rows = Array.from({ length: 50_000 }, (_, i) => [String(i), `stop "${i}", quai ${i % 7}`])
    const text = ['id,name', ...rows.map(([id, name]) => `${id},"${name?.replaceAll('"', '""')}"`)].join('\r\n')
    const whole = encoder.encode(text)
    const chunks = Array.from({ length: Math.ceil(whole.length / 4093) }, (_, i) =>
      whole.subarray(i * 4093, (i + 1) * 4093),
    )
    expect((await scanChunks(chunks)).rows).toEqual([['id', 'name'], ...rows])
  })
})
