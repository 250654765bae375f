/** For parts of which no problem is expected: reports one as an error. */
export function failOnProblem(message: string): never {
  throw new Error(message)
}
