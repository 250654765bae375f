// Command output: results on stdout, messages on stderr. Output is written synchronously, so that nothing is lost when
// the process exits.
import { writeSync } from 'node:fs'

const STDOUT = 1
const STDERR = 2
/** Pause before writing to a full pipe again. */
const FULL_PIPE_MILLIS = 1

/** The two outputs of a command. */
export interface CommandIo {
  stdout(text: string): void
  stderr(text: string): void
}

/** The outputs of this process. */
export const PROCESS_IO: CommandIo = {
  stdout: (text) => writeWhole(STDOUT, text),
  stderr: (text) => writeWhole(STDERR, text),
}

/** Formats a table as text, header first. Columns are as wide as their widest cell, with two spaces between columns. */
export function toTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...lines.map((line) => Bun.stringWidth(line[column]))))
  const pad = (cell: string, column: number) => cell + ' '.repeat(widths[column] - Bun.stringWidth(cell))
  return lines.map((line) => `${line.map(pad).join('  ').trimEnd()}\n`).join('')
}

function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let done = 0; done < bytes.byteLength; ) {
    try {
      done += writeSync(file, bytes, done)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EPIPE') return // the reader closed the pipe
      if (code !== 'EAGAIN') throw error
      Bun.sleepSync(FULL_PIPE_MILLIS)
    }
  }
}
