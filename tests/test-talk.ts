// Parses what Bun's test runner prints on stderr: the counts, what was left out, and the output about each failure, by
// file.

export type TestTalk = {
  readonly passed: number
  readonly failed: number
  /** The lines in which tests name what they left out, without repetitions. */
  readonly leftOut: readonly string[]
  /** File → its failures. Each failure is everything that was printed since the end of the previous test. */
  readonly faults: ReadonlyMap<string, readonly string[]>
}

const FILE_HEADING = /^(\S+\.test\.tsx?):$/
/** Printed before and after an error that occurs outside of any test. */
const UNHANDLED_RULE = '-------------------------------'
/** The line after which the runner repeats all failures. */
const SUMMARY = /^\d+ tests? failed:$/

/** Parses the whole output of a run. */
export function readTestTalk(talk: string): TestTalk {
  return {
    passed: countOf(talk, 'pass'),
    failed: countOf(talk, 'fail'),
    leftOut: [...new Set([...talk.matchAll(/^left out: .*$/gm)].map((match) => match[0]))],
    faults: readFaults(talk),
  }
}

/** The last count of this kind, which is in the runner's summary. */
function countOf(talk: string, kind: 'pass' | 'fail'): number {
  const counts = [...talk.matchAll(new RegExp(`^\\s*(\\d+) ${kind}$`, 'gm'))]
  return Number(counts.at(-1)?.[1] ?? 0)
}

function readFaults(talk: string): Map<string, string[]> {
  const faults = new Map<string, string[]>()
  let file = ''
  let printed: string[] = []
  let rules = 0
  for (const line of talk.split('\n')) {
    if (SUMMARY.test(line)) break
    const heading = FILE_HEADING.exec(line)?.[1]
    if (heading !== undefined) file = heading
    else printed.push(line)
    const isUnhandled = line === UNHANDLED_RULE && ++rules % 2 === 0
    const isFault = isUnhandled || line.startsWith('(fail) ')
    if (isFault) faults.set(file, [...(faults.get(file) ?? []), printed.join('\n').trim()])
    if (isFault || heading !== undefined || /^\((pass|skip|todo)\) /.test(line)) printed = []
  }
  return faults
}
