/** Throws the message of a problem: for tests in which no problem may be reported. */
export function failOnProblem(message: string): never {
  throw new Error(message)
}
