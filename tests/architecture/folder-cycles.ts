// Finds import cycles between folders. Folders are nodes, and an import of a file in another folder is an edge. A
// subfolder that only its parent imports counts as part of the parent.
import { dirname } from 'node:path'
import type { SourceFile } from './sources.ts'

/** The groups of folders that form cycles, sorted; empty if there are no cycles. */
export function findFolderCycles(files: readonly Pick<SourceFile, 'path' | 'imports'>[]): string[][] {
  const arrows = drawArrows(files)
  const reached = new Map([...arrows.keys()].map((folder) => [folder, reachableFrom(folder, arrows)]))
  const cycles = new Map<string, string[]>()
  for (const [folder, targets] of reached) {
    if (!targets.has(folder)) continue
    const circle = [...targets].filter((other) => reached.get(other)?.has(folder)).sort()
    cycles.set(circle.join(' '), circle)
  }
  return [...cycles.values()]
}

/** Folder → the other folders from which it imports. */
function drawArrows(files: readonly Pick<SourceFile, 'path' | 'imports'>[]): Map<string, Set<string>> {
  const folderOf = new Map(files.map((file) => [file.path, dirname(file.path)]))
  for (let child = findPart(files, folderOf); child !== undefined; child = findPart(files, folderOf)) {
    for (const [path, folder] of folderOf) if (folder === child) folderOf.set(path, dirname(child))
  }
  const arrows = new Map<string, Set<string>>([...folderOf.values()].map((folder) => [folder, new Set()]))
  for (const { from, to } of listArrows(files, folderOf)) arrows.get(from)?.add(to)
  return arrows
}

/**
 * A subfolder that only its parent imports; undefined if there is none. The top-level folders of a room (see `ROOMS` in
 * sources.ts) are never returned, so they always stay separate.
 */
function findPart(
  files: readonly Pick<SourceFile, 'path' | 'imports'>[],
  folderOf: ReadonlyMap<string, string>,
): string | undefined {
  const outside = new Set(
    [...listArrows(files, folderOf)].filter(({ from, to }) => from !== dirname(to)).map(({ to }) => to),
  )
  return [...new Set(folderOf.values())].find((folder) => folder.split('/').length > 2 && !outside.has(folder))
}

function* listArrows(
  files: readonly Pick<SourceFile, 'path' | 'imports'>[],
  folderOf: ReadonlyMap<string, string>,
): Generator<{ readonly from: string; readonly to: string }> {
  for (const file of files) {
    const from = folderOf.get(file.path)
    for (const imported of file.imports) {
      const to = folderOf.get(imported)
      if (from !== undefined && to !== undefined && from !== to) yield { from, to }
    }
  }
}

function reachableFrom(start: string, arrows: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>()
  const waiting = [start]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const next of arrows.get(folder) ?? []) {
      if (reached.has(next)) continue
      reached.add(next)
      waiting.push(next)
    }
  }
  return reached
}
