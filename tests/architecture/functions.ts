// Lists the functions of a source file, including methods, accessors and arrow functions, with their length and number
// of parameters. Reads them from the syntax tree, so a signature can have several lines.
import ts from 'typescript-api'
import { lineAt, nodesOf, placeOf, type SourceFile } from './sources.ts'

/** A function that has a body. */
export interface WrittenFunction {
  /** Where the function is, as `path:line name`. */
  readonly place: string
  /** Number of lines, from the first line of the signature to the last line of the body. */
  readonly lineCount: number
  readonly parameterCount: number
}

/** The functions of a file in the order in which they start, including nested functions. */
export function listFunctions(file: SourceFile): WrittenFunction[] {
  const functions: WrittenFunction[] = []
  for (const node of nodesOf(file)) {
    if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) continue
    const parameters = node.parameters.filter((parameter) => parameter.name.getText() !== 'this')
    functions.push({
      place: `${placeOf(file, node)} ${nameOf(node)}`,
      lineCount: lineAt(file, node.end) - lineAt(file, node.getStart()) + 1,
      parameterCount: parameters.length,
    })
  }
  return functions
}

function nameOf(node: ts.SignatureDeclaration): string {
  const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined)
  return named?.getText() ?? (ts.isConstructorDeclaration(node) ? 'constructor' : 'function')
}
