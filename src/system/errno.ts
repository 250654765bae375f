// System errors by their names.

/** Whether something thrown is a system error of one of these names, such as `ENOENT`. */
export function isErrno(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && names.includes(String(error.code))
}
