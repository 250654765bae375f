// `bun run test`: every test file in one run of Bun's runner, then what was left out and one closing line to count by.
// Sizes: QUAI_SIZE=quick (default, minutes), ci, full. Each test reads its own number of rounds from tests/size.ts.
import { SEED, SIZE } from './size.ts'

const started = performance.now()
console.log(`size ${SIZE}, seed ${SEED}`)

const runner = Bun.spawn([process.execPath, 'test', '--timeout', '120000', ...process.argv.slice(2)], {
  stdout: 'inherit',
  stderr: 'pipe',
  env: { ...process.env, QUAI_SEED: String(SEED), QUAI_SIZE: SIZE },
})

// The runner prints its progress and its summary on stderr; it is passed on as it comes and kept for the counts.
const decoder = new TextDecoder()
let talk = ''
for await (const chunk of runner.stderr) {
  process.stderr.write(chunk)
  talk += decoder.decode(chunk, { stream: true })
}
const exitCode = await runner.exited

/** The last count of a kind in the runner's summary. */
function countOf(kind: 'pass' | 'fail' | 'skip'): number {
  const counts = [...talk.matchAll(new RegExp(`^\\s*(\\d+) ${kind}$`, 'gm'))]
  return Number(counts.at(-1)?.[1] ?? 0)
}

const passed = countOf('pass')
const failed = Math.max(countOf('fail'), exitCode === 0 ? 0 : 1)
const leftOut = [...talk.matchAll(/^left out: .*$/gm)].map((match) => match[0])
for (const line of new Set(leftOut)) console.log(line)
console.log(`${Math.round((performance.now() - started) / 1000)} s`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(passed === 0 || failed > 0 ? 1 : 0)
