// Identifies system errors by name.

/** Whether an error is a system error with one of these names, such as `ENOENT`. */
export function isErrno(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && names.includes(String(error.code))
}
