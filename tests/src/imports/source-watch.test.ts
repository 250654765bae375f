// Tests watching a network's files while the process has no file descriptor left. Fails if the watch then misses later
// changes, if the process exits, or if the lack of descriptors is not reported.
import { expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MODULE = join(import.meta.dir, '../../../src/imports/source-watch.ts')
/**
 * Maximum number of file descriptors that the watching process may have open. Bun needs some, and the test uses up the
 * rest.
 */
const FILES = 120

/**
 * A program that watches a folder and prints what the watch reports. Commands on its standard input make it use up all
 * file descriptors, or free them.
 */
const WATCHER = `
  import { openSync, closeSync } from 'node:fs'
  const { SourceWatch } = await import(process.env.MODULE)
  const { stampSources } = await import(process.env.MODULE.replace('imports/source-watch', 'sources/source-stamp'))
  const sources = [process.env.FOLDER]
  let imported = stampSources(sources)
  const taken = []
  new SourceWatch({
    sources,
    refreshSeconds: 1,
    importedStamp: () => imported,
    onChange: () => { imported = stampSources(sources); console.log('changed') },
    onProblem: (problem) => console.log(problem ?? 'well again'),
  })
  const use = () => { try { for (;;) taken.push(openSync('/dev/null')) } catch (error) { if (error.code !== 'EMFILE') throw error } }
  const give = () => { for (const file of taken.splice(0)) closeSync(file) }
  console.log('watching')
  for await (const line of console) line === 'use' ? use() : give()`

test('a lack of descriptors while a change settles is logged, and the change is detected afterwards', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quai-watch-'))
  mkdirSync(join(folder, 'feed'))
  writeFileSync(join(folder, 'feed', 'stops.txt'), 'stop_id\n')
  const shell = ['bash', '-c', `ulimit -n ${FILES} && exec "$@"`, 'limited']
  const child = Bun.spawn([...shell, process.execPath, '-e', WATCHER], {
    stdin: 'pipe',
    stdout: 'pipe',
    env: { ...process.env, MODULE, FOLDER: join(folder, 'feed') },
  })
  try {
    const printed: string[] = []
    const reading = (async () => {
      const decoder = new TextDecoder()
      for await (const chunk of child.stdout) printed.push(...decoder.decode(chunk).trim().split('\n'))
    })()
    const until = async (line: string) => {
      while (!printed.includes(line)) {
        if (child.exitCode !== null) throw new Error(`the process ended after printing: ${printed.join(', ')}`)
        await Bun.sleep(5)
      }
    }
    await until('watching')
    // The watch checks the files once a second. A second after it has seen a change, it checks again before it reports
    // the change. At this second check, no descriptor is free.
    appendFileSync(join(folder, 'feed', 'stops.txt'), 'A\n')
    await Bun.sleep(1_300)
    child.stdin.write('use\n')
    await until('the source files cannot be read (EMFILE)')
    expect(printed).not.toContain('changed')
    child.stdin.write('give\n')
    await until('changed')
    expect(printed).toEqual(['watching', 'the source files cannot be read (EMFILE)', 'well again', 'changed'])
    child.kill()
    await reading
  } finally {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  }
}, 30_000)
