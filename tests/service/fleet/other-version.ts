// A later version of the program, for upgrade tests: it writes snapshots in another format, and has one more database
// migration.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..', '..', '..')
const COPIED = ['src', 'indexes', 'loaders', 'package.json', 'tsconfig.json', 'bunfig.toml', 'bun.lock', 'LICENSE']
const FORMAT = /(export const SNAPSHOT_FORMAT_VERSION = )(\d+)/
const LAST_MIGRATION = /\n\]\n(?=\n\/\*\*[^\n]*\nexport const USABLE_FROM)/
const MIGRATION = `\n  ['ALTER TABLE quai.snapshots ADD COLUMN remark text', 'CREATE TABLE quai.remarks (id text PRIMARY KEY)'],\n]\n`

/** The later version, in a separate folder. */
export class OtherVersion {
  /** The command that runs this version: an executable, and its first argument if needed. */
  readonly command: readonly string[]
  private readonly folder = mkdtempSync(join(tmpdir(), 'quai-version-'))

  /** @param isBinary whether to build a binary; otherwise the version runs from source */
  constructor(isBinary: boolean) {
    for (const name of COPIED) cpSync(join(ROOT, name), join(this.folder, name), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'))
    this.edit('loaders/snapshot-file.ts', FORMAT, (_, before, version) => `${before}${Number(version) + 1}`)
    this.edit('src/accounts/postgres-migrations.ts', LAST_MIGRATION, () => MIGRATION)
    const source = join(this.folder, 'src')
    if (isBinary) {
      const built = Bun.spawnSync(['bun', join(source, 'build.ts')], { cwd: this.folder, stderr: 'pipe' })
      if (built.exitCode !== 0) throw new Error(`the other version cannot be built: ${built.stderr}`)
    }
    this.command = isBinary ? [join(this.folder, 'dist', 'quai')] : ['bun', join(source, 'main.ts')]
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  private edit(file: string, found: RegExp, replaced: (...match: string[]) => string): void {
    const path = join(this.folder, file)
    const before = readFileSync(path, 'utf8')
    const after = before.replace(found, replaced)
    if (after === before) throw new Error(`${file} does not contain ${found}`)
    writeFileSync(path, after)
  }
}
