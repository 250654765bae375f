// `bun run build`: one file, dist/quai, that runs from an empty folder. Names are kept, so that errors and logs can be
// read; a Worker of the binary is the same file again. The console and the explorer go in as they are served: bundled and
// packed. Beside it, its bill of materials: dist/quai.cdx.json.
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { billOfMaterials } from './build/bill-of-materials.ts'
import { formatLicenses } from './build/licenses.ts'
import { listPackages } from './build/packages.ts'
import { bundleConsole } from './console/console-files.ts'
import { bundleExplorer } from './explorer/explorer-files.ts'
import { VERSION } from './system/version.ts'

const ROOT = join(import.meta.dir, '..')
const OUT = join(ROOT, 'dist', 'quai')

mkdirSync(join(ROOT, 'dist'), { recursive: true })
const started = performance.now()
const packages = await listPackages(ROOT)
// Not by the command line: no word of one may be as long as the explorer is.
const build = await Bun.build({
  entrypoints: [join(ROOT, 'src', 'main.ts')],
  target: 'bun',
  format: 'esm',
  compile: { outfile: OUT },
  minify: { whitespace: true, syntax: true },
  bytecode: true,
  sourcemap: 'inline',
  define: {
    // Else packages in CommonJS name the folder they were built in, and each folder gives another binary.
    __dirname: '"/"',
    __filename: '"/quai"',
    EMBEDDED_LICENSES: JSON.stringify(formatLicenses(packages)),
    EMBEDDED_CONSOLE_FILES: JSON.stringify(await bundleConsole()),
    EMBEDDED_EXPLORER_FILES: JSON.stringify(await bundleExplorer()),
  },
  throw: false,
})
for (const log of build.logs) console.error(String(log))
if (build.success) {
  writeFileSync(`${OUT}.cdx.json`, billOfMaterials({ version: VERSION, bunVersion: Bun.version }, packages))
  const megabytes = (statSync(OUT).size / 1e6).toFixed(1)
  console.log(`dist/quai: ${megabytes} MB in ${((performance.now() - started) / 1000).toFixed(1)} s`)
}
process.exit(build.success ? 0 : 1)
