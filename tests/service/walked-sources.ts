// A copy of the product whose functions count how often they are entered. The counts, one per file, are in a
// memory-mapped file that this process shares with all threads of a service that runs the copy.
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript-api'
import { nodesOf, PRODUCT, type SourceFile } from '../architecture/sources.ts'

const ROOT = join(import.meta.dir, '../..')
const REST_MILLIS = 500

/** The copy, and the counts of its functions. */
export class WalkedSources {
  /** Path of the copy's entry point. */
  readonly main: string
  private readonly folder = mkdtempSync(join(tmpdir(), 'quai-walks-'))
  private readonly files = PRODUCT.filter(({ path }) => !path.includes('/app/'))
  /**
   * For each file, how often its functions were entered. The array ends with one more value, which is 1 while interval
   * timers are paused.
   */
  private readonly counts: Uint32Array

  constructor() {
    const { folder, files } = this
    this.main = join(folder, 'src/main.ts')
    for (const room of ['src', 'indexes', 'loaders', 'package.json']) {
      cpSync(join(ROOT, room), join(folder, room), { recursive: true })
    }
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const counting = join(folder, 'walk.ts')
    const memory = join(folder, 'counts')
    writeFileSync(memory, new Uint8Array((files.length + 1) * Uint32Array.BYTES_PER_ELEMENT))
    this.counts = new Uint32Array(Bun.mmap(memory).buffer)
    writeFileSync(counting, countingModule(memory, files.length))
    for (const [number, file] of files.entries()) {
      const path = join(folder, file.path)
      writeFileSync(path, withCounts(file, number, relative(dirname(path), counting)))
    }
  }

  /**
   * Returns the files whose functions are entered during an action. The action is repeated, and a file counts only if
   * its functions were entered in more than half of the runs, since other work may go on at the same time. Interval
   * timers, such as the one that flushes the ledger, are paused meanwhile.
   */
  async walk(act: () => Promise<unknown>, times: number): Promise<string[]> {
    const { counts, files } = this
    const seen = files.map(() => 0)
    for (let time = 0; time < times; time++) {
      counts.fill(0)
      counts[files.length] = 1
      await act()
      for (const at of files.keys()) if (counts[at] > 0) seen[at]++
    }
    counts[files.length] = 0
    return files.filter((_, at) => seen[at] > times / 2).map(({ path }) => path)
  }

  /** Waits until no function in the files whose paths match `paths` has been entered for a while. */
  async rest(paths: RegExp): Promise<void> {
    const { counts, files } = this
    do {
      counts.fill(0)
      await Bun.sleep(REST_MILLIS)
    } while (files.some(({ path }, at) => counts[at] > 0 && paths.test(path)))
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }
}

/** The module that every file of the copy imports, on each thread. */
function countingModule(memory: string, fileCount: number): string {
  return `const counts = new Uint32Array(Bun.mmap(${JSON.stringify(memory)}).buffer)
const start = globalThis.setInterval
globalThis.setInterval = (run, ...more) => start(() => counts[${fileCount}] === 0 && run(), ...more)
export const walked = (file) => void counts[file]++
`
}

/** The source code of a file, with a counter at the start of each function. Line numbers remain the same. */
function withCounts(file: SourceFile, number: number, counting: string): string {
  const edits: (readonly [at: number, text: string])[] = []
  for (const node of nodesOf(file)) {
    if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) continue
    const { body } = node
    if (ts.isBlock(body)) edits.push([body.getStart() + 1, `walked(${number});`])
    else edits.push([body.getStart(), `(walked(${number}),`], [body.end, ')'])
  }
  if (edits.length === 0) return file.text
  let text = file.text
  for (const [at, added] of edits.sort(([a], [b]) => b - a)) text = text.slice(0, at) + added + text.slice(at)
  return `import { walked } from '${counting.startsWith('.') ? counting : `./${counting}`}';${text}`
}
