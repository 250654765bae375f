// The input of the architecture tests: each source file in the repository, with its text, its lines and the project
// files that it imports. Parses syntax trees on demand.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import ts from 'typescript-api'

const ROOT = join(import.meta.dir, '../..')

/** The product's rooms, whose code is compiled into the binary. A room is a top-level folder of the repository. */
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
  /** The project files that this file imports, including type imports, as paths from the root of the repository. */
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

/** Makes a source file with this path and text. */
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

/** Where a node begins, as `path:line`. */
export function placeOf(file: SourceFile, node: ts.Node): string {
  return `${file.path}:${lineAt(file, node.getStart())}`
}

/** The number, from 1, of the line at a position in a file. */
export function lineAt(file: SourceFile, position: number): number {
  return treeOf(file).getLineAndCharacterOfPosition(position).line + 1
}
