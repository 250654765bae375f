// The functions of a source file with their length and parameters, read from its syntax tree: signatures of any number
// of lines, methods, accessors and arrow functions too.
import ts from 'typescript-api'
import { lineAt, nodesOf, placeOf, type SourceFile } from './sources.ts'

/** A function that has a body. */
export interface WrittenFunction {
  /** `path:line name`. */
  readonly place: string
  /** From the first line of its signature to the last of its body. */
  readonly lineCount: number
  readonly parameterCount: number
}

/** The functions of a file in the order of their beginnings, nested ones too. */
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
