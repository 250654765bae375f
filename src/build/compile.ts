// Compiles the program into one file that runs from an empty folder. Names in the code are kept, so that errors and
// logs are readable. A Worker of the binary runs the same file. The binary contains the console, the explorer and the
// client. They are bundled and compressed, ready to be served.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { packClient } from '../client/client-package.ts'
import { bundleConsole } from '../console/console-files.ts'
import { bundleExplorer } from '../explorer/explorer-files.ts'
import { packBest } from '../pages/page-files.ts'
import { formatLicenses } from './licenses.ts'
import { listPackages, type Package } from './packages.ts'

export const ROOT = join(import.meta.dir, '..', '..')

/** The parts that all binaries of a version have in common. */
export interface Parts {
  readonly packages: readonly Package[]
  readonly define: Readonly<Record<string, string>>
}

/** Bundles the pages and reads the licenses. */
export async function prepareParts(): Promise<Parts> {
  const packages = await listPackages(ROOT)
  const explorer = await bundleExplorer()
  return {
    packages,
    define: {
      // Without these two definitions, packages in CommonJS would contain the path of the folder they were built in,
      // and each folder would give a different binary.
      __dirname: '"/"',
      __filename: '"/quai"',
      EMBEDDED_LICENSES: JSON.stringify(formatLicenses(packages)),
      EMBEDDED_CONSOLE_FILES: JSON.stringify(packBest(await bundleConsole())),
      EMBEDDED_CLIENT_PACKAGE: JSON.stringify(Buffer.from(await packClient()).toString('base64')),
      EMBEDDED_EXPLORER_FILES: JSON.stringify({ ...explorer, files: packBest(explorer.files) }),
    },
  }
}

/** The platform of a binary, and the Bun for that platform. */
export interface Platform {
  readonly target: Bun.Build.CompileTarget
  readonly executablePath: string
}

/** Writes a binary. Throws with the bundler's messages. @param platform the platform of this machine if absent */
export async function compile(outfile: string, { define }: Parts, platform?: Platform): Promise<void> {
  // `bun build` on the command line cannot be used: `define` holds the explorer's files, which are too long for an
  // argument.
  const build = await Bun.build({
    entrypoints: [join(ROOT, 'src', 'main.ts')],
    target: 'bun',
    format: 'esm',
    compile: { outfile, ...platform },
    minify: { whitespace: true, syntax: true },
    bytecode: true,
    sourcemap: 'inline',
    define: { ...define },
    throw: false,
  })
  if (platform !== undefined) rmSync(`${outfile}.map`, { force: true }) // the binary contains the source map too
  if (!build.success) throw new Error(build.logs.map(String).join('\n'))
}
