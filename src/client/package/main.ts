// The entry point of the package quai-client. Classes are exported as constants with the types in surface.ts, so that
// the code cannot differ from the package's declarations.
import type { QuaiClient as DeclaredClient } from './contract.ts'
import { Client } from './operations.ts'
import { CallError } from './problem.ts'
import type { QuaiError as DeclaredError, QuaiClientConstructor, QuaiErrorConstructor } from './surface.ts'

export type * from './contract.ts'
export type * from './surface.ts'

/** A client of the API: one method for each operation. */
export const QuaiClient: QuaiClientConstructor = Client
export type QuaiClient = DeclaredClient
/** The error that a failed call throws. */
export const QuaiError: QuaiErrorConstructor = CallError
export type QuaiError = DeclaredError
