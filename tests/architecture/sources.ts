// The input of the architecture tests: each source file of the repository, with its text, its lines, the project files
// that it imports, and on demand its syntax tree.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import ts from 'typescript-api'

const ROOT = join(import.meta.dir, '../..')

/** The folders of the product, whose code is compiled into the binary. */
const PRODUCT_ROOMS: readonly string[] = ['src', 'indexes', 'loaders']
const ROOMS: readonly string[] = [...PRODUCT_ROOMS, 'tests', 'bench']

/** A source file of the repository. */
export interface SourceFile {
  /** Path from the root of the repository. */
  readonly path: string
  /** The room: the first folder of the path. */
  readonly room: string
  readonly text: string
  readonly lines: readonly string[]
  /** Repository paths of the project files that it imports, including type imports. */
  readonly imports: readonly string[]
}

/** Every source file of the repository. */
export const SOURCES: readonly SourceFile[] = ROOMS.flatMap((room) =>
  readdirSync(join(ROOT, room), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => readSource(relative(ROOT, join(entry.parentPath, entry.name)))),
)

/** The source files of the product. */
export const PRODUCT: readonly SourceFile[] = SOURCES.filter((file) => PRODUCT_ROOMS.includes(file.room))

function readSource(path: string): SourceFile {
  return toSource(path, readFileSync(join(ROOT, path), 'utf8'))
}

/** A source file that has this path and text. */
export function toSource(path: string, text: string): SourceFile {
  const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map((match) =>
    normalize(join(dirname(path), match[1] ?? '')),
  )
  return { path, room: path.split('/')[0] ?? '', text, lines: text.split('\n'), imports }
}

const trees = new WeakMap<SourceFile, ts.SourceFile>()

/** The syntax tree of a file. */
export function treeOf(file: SourceFile): ts.SourceFile {
  const known = trees.get(file)
  if (known !== undefined) return known
  const kind = file.path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const tree = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true, kind)
  trees.set(file, tree)
  return tree
}

/** Every node of a file's syntax tree, parents first. */
export function* nodesOf(file: SourceFile): Generator<ts.Node> {
  const waiting: ts.Node[] = [treeOf(file)]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node
    const children: ts.Node[] = []
    ts.forEachChild(node, (child) => {
      children.push(child)
    })
    waiting.push(...children.reverse())
  }
}

/** The place where a node begins, as `path:line`. */
export function placeOf(file: SourceFile, node: ts.Node): string {
  return `${file.path}:${lineAt(file, node.getStart())}`
}

/** The number of the line that contains a position of a file, from 1. */
export function lineAt(file: SourceFile, position: number): number {
  return treeOf(file).getLineAndCharacterOfPosition(position).line + 1
}
