// Version 0.1.0 from the repository's history, as an operator runs it before an upgrade. It runs from source, with the
// packages that the current version uses.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..', '..')
/** The commit of version 0.1.0. */
const COMMIT = '9113c89'
const FORMATS = [
  ['loaders/snapshot-file.ts', /SNAPSHOT_FORMAT_VERSION = (\d+)/],
  ['src/rendering/made-texts.ts', /TEXTS_FORMAT = (\d+)/],
] as const

/** Whether the repository's history contains the commit of version 0.1.0. The history of a shallow clone does not. */
export function hasFirstVersion(): boolean {
  return Bun.spawnSync(['git', '-C', ROOT, 'cat-file', '-e', `${COMMIT}^{commit}`], { stderr: 'ignore' }).exitCode === 0
}

/** The source of version 0.1.0, in a separate folder. */
export class FirstVersion {
  readonly main: string
  private readonly folder = mkdtempSync(join(tmpdir(), 'quai-first-version-'))

  constructor() {
    const tree = join(this.folder, 'quai')
    mkdirSync(tree)
    const archive = join(this.folder, 'quai.tar')
    for (const command of [
      ['git', '-C', ROOT, 'archive', `--output=${archive}`, COMMIT],
      ['tar', '-xf', archive, '-C', tree],
    ]) {
      const done = Bun.spawnSync(command, { stderr: 'pipe' })
      if (done.exitCode !== 0) throw new Error(`${command.join(' ')}: ${done.stderr}`)
    }
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
    this.main = join(tree, 'src', 'main.ts')
  }

  /**
   * Whether both versions write snapshots in the same formats, so that neither needs to import the timetables again.
   */
  hasSameSnapshots(): boolean {
    const tree = join(this.folder, 'quai')
    return FORMATS.every(([file, format]) => {
      const [before, now] = [tree, ROOT].map((folder) => format.exec(readFileSync(join(folder, file), 'utf8'))?.[1])
      if (before === undefined || now === undefined) throw new Error(`${file} does not contain ${format}`)
      return before === now
    })
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
