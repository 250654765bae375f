/** Throws an error with the message of a reported problem. For tests in which no problem may be reported. */
export function failOnProblem(message: string): never {
  throw new Error(message)
}
