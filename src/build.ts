// `bun run build`: one file, dist/quai, that runs from an empty folder. Names are kept, so that errors and logs can be
// read; a Worker of the binary is the same file again. The console goes in as it is served: bundled and packed.
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bundleConsole } from './console/console-files.ts'

const ROOT = join(import.meta.dir, '..')
const OUT = join(ROOT, 'dist', 'quai')

mkdirSync(join(ROOT, 'dist'), { recursive: true })
const started = performance.now()
const build = Bun.spawn(
  [
    process.execPath,
    'build',
    '--compile',
    '--minify-whitespace',
    '--minify-syntax',
    '--bytecode',
    '--format=esm',
    '--sourcemap=inline',
    '--define',
    `EMBEDDED_CONSOLE_FILES=${JSON.stringify(await bundleConsole())}`,
    join(ROOT, 'src', 'main.ts'),
    '--outfile',
    OUT,
  ],
  { cwd: ROOT, stdout: 'inherit', stderr: 'inherit' },
)
const status = await build.exited
if (status === 0) {
  const megabytes = (statSync(OUT).size / 1e6).toFixed(1)
  console.log(`dist/quai: ${megabytes} MB in ${((performance.now() - started) / 1000).toFixed(1)} s`)
}
process.exit(status)
