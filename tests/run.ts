// `bun run test`: every test file in one run of Bun's runner, then what was left out, what failed and why, and one closing
// line to count by. Sizes: QUAI_SIZE=quick (default, minutes), ci, full. Each test reads its own number of rounds from
// tests/size.ts. Below full size a file that failed is run once more, alone and by the same seed: a defect fails again, a
// limit of time on a machine with other work does not. Both tries are told.
import { SEED, SIZE } from './size.ts'
import { readTestTalk, type TestTalk } from './test-talk.ts'

/** With more failing files than these, the machine is not what is wrong. */
const MOST_FILES_TRIED_AGAIN = 3

const started = performance.now()
console.log(`size ${SIZE}, seed ${SEED}`)

/** Bun's runner over some files, or all; its progress and its summary, both on stderr, are passed on as they come. */
async function runTests(which: readonly string[]): Promise<TestTalk & { exitCode: number }> {
  const runner = Bun.spawn([process.execPath, 'test', '--timeout', '120000', ...which], {
    stdout: 'inherit',
    stderr: 'pipe',
    env: { ...process.env, QUAI_SEED: String(SEED), QUAI_SIZE: SIZE },
  })
  const decoder = new TextDecoder()
  let talk = ''
  for await (const chunk of runner.stderr) {
    process.stderr.write(chunk)
    talk += decoder.decode(chunk, { stream: true })
  }
  const exitCode = await runner.exited
  return { ...readTestTalk(talk), exitCode }
}

const { exitCode, passed, failed, leftOut, faults } = await runTests(process.argv.slice(2))
let stillFailed = Math.max(failed, exitCode === 0 ? 0 : 1)
const files = [...faults.keys()]
const isTriedAgain = SIZE !== 'full' && files.length > 0 && files.length <= MOST_FILES_TRIED_AGAIN
const recovered: string[] = []
for (const file of isTriedAgain ? files : []) {
  console.log(`once more, alone, by the same seed: ${file}`)
  const again = await runTests([file])
  if (again.exitCode === 0 && again.failed === 0) recovered.push(file)
}

for (const line of leftOut) console.log(line)
for (const [file, told] of faults) console.log(`\nfailed in ${file}:\n${told.join('\n')}`)
for (const file of recovered) {
  stillFailed -= faults.get(file)?.length ?? 0
  console.log(`failed once, passed alone by the same seed: ${file}`)
}
console.log(`${Math.round((performance.now() - started) / 1000)} s`)
console.log(`${passed + failed - stillFailed} passed, ${stillFailed} failed`)
process.exit(passed === 0 || stillFailed > 0 ? 1 : 0)
