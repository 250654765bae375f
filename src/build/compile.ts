// Compiles the program into one file that runs from an empty folder. Names in the code are kept, so that errors and
// logs are readable. Workers started by the binary run the same file. The binary contains the console, the explorer and
// the client, bundled, compressed and ready to be served.
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { packClient } from '../client/client-package.ts'
import { bundleConsole } from '../console/console-files.ts'
import { bundleExplorer } from '../explorer/explorer-files.ts'
import { packBest } from '../pages/page-files.ts'
import { formatLicenses } from './licenses.ts'
import { listPackages, type Package } from './packages.ts'

export const ROOT = join(import.meta.dir, '..', '..')

/** What all binaries of one version have in common. */
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
      // Without these two definitions, CommonJS packages would contain the path of the folder in which they were built,
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

/** A platform to compile for, and the Bun executable for that platform. */
export interface Platform {
  readonly target: Bun.Build.CompileTarget
  readonly executablePath: string
}

/**
 * Writes a binary. If the build fails, throws an error with the bundler's messages.
 * @param platform by default, the platform of this machine
 */
export async function compile(outfile: string, { define }: Parts, platform?: Platform): Promise<void> {
  // The bundler also writes source maps next to the binary. They are deleted with this folder, because the binary
  // contains them too.
  const work = mkdtempSync(join(dirname(outfile), '.compile-'))
  const binary = join(work, basename(outfile))
  try {
    // The command `bun build` cannot be used, because `define` contains the explorer's files, which are too long for a
    // command-line argument.
    const build = await Bun.build({
      entrypoints: [join(ROOT, 'src', 'main.ts')],
      target: 'bun',
      format: 'esm',
      compile: { outfile: binary, ...platform },
      minify: { whitespace: true, syntax: true },
      bytecode: true,
      splitting: true, // each thread only loads the chunks it needs, which saves time and memory
      sourcemap: 'inline',
      define: { ...define },
      throw: false,
    })
    if (!build.success) throw new Error(build.logs.map(String).join('\n'))
    renameSync(binary, outfile)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
