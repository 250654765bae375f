// `bun run test` runs every test file. Then it prints what the tests left out, the failures with their output, and one
// closing line with the counts. Two runners work at the same time. The first runs the files that start whole services
// and mostly wait, a few at a time. The second runs all remaining files, which need the processor, and then helps the
// first. With more runners, low-priority work of services, such as imports, would get no processor time. QUAI_SIZE sets
// the size: quick (the default, which takes minutes), ci or full. Each test reads its own number of rounds from
// tests/size.ts. Below full size, a file that failed is run a second time, alone and with the same seed: a defect fails
// again, but a time limit that failed on a busy machine does not. Both results are printed.
import { SEED, SIZE } from './size.ts'
import { readTestTalk, type TestTalk } from './test-talk.ts'

/** If more files than this fail, a busy machine is not the cause, so no file is run again. */
const MOST_FILES_TRIED_AGAIN = 5
/** Files that start services, each on its own ports. */
const SERVICE_FILES = /^tests\/(service|regressions)\//
/** Number of service files in each run of Bun's test runner. */
const FILES_AT_ONCE = 2

type Lane = TestTalk & { readonly exitCode: number; readonly output: string }

const started = performance.now()
console.log(`size ${SIZE}, seed ${SEED}`)

/** Runs Bun's test runner on some files. @param isShown whether to print its output as it comes */
async function runTests(files: readonly string[], isShown: boolean): Promise<Lane> {
  const runner = Bun.spawn([process.execPath, 'test', '--timeout', '120000', ...files], {
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, QUAI_SEED: String(SEED), QUAI_SIZE: SIZE },
  })
  let output = ''
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      const text = decoder.decode(chunk, { stream: true })
      if (isShown) process.stderr.write(text)
      output += text
    }
  }
  await Promise.all([read(runner.stdout), read(runner.stderr)])
  const exitCode = await runner.exited
  return { ...readTestTalk(output), exitCode, output }
}

/**
 * The files for each runner: together, all test files. If there are arguments, only the files that they name, all for
 * the second runner.
 */
function listWork(): { readonly services: string[][]; readonly others: string[] } {
  const chosen = process.argv.slice(2)
  if (chosen.length > 0) return { services: [], others: chosen }
  const files = [...new Bun.Glob('tests/**/*.test.{ts,tsx}').scanSync('.')].sort()
  const services = files.filter((file) => SERVICE_FILES.test(file)).map((file) => `./${file}`)
  return {
    services: Array.from({ length: Math.ceil(services.length / FILES_AT_ONCE) }, (_, at) =>
      services.slice(at * FILES_AT_ONCE, (at + 1) * FILES_AT_ONCE),
    ),
    others: files.filter((file) => !SERVICE_FILES.test(file)).map((file) => `./${file}`),
  }
}

const lanes: Lane[] = []
const { services, others } = listWork()

async function runServices(): Promise<void> {
  for (let files = services.shift(); files !== undefined; files = services.shift()) {
    const lane = await runTests(files, false)
    await Bun.write(Bun.stderr, lane.output)
    lanes.push(lane)
  }
}

async function runOthers(): Promise<void> {
  lanes.push(await runTests(others, true))
}

await Promise.all([runOthers().then(runServices), runServices()])

const passed = sum(lanes.map((lane) => lane.passed))
const failed = sum(lanes.map(countFailed))
const faults = new Map(lanes.flatMap((lane) => [...lane.faults]))
let stillFailed = failed
const files = [...faults.keys()]
const isTriedAgain = SIZE !== 'full' && files.length > 0 && files.length <= MOST_FILES_TRIED_AGAIN
const recovered: string[] = []
for (const file of isTriedAgain ? files : []) {
  console.log(`once more, alone, with the same seed: ${file}`)
  const again = await runTests([file], true)
  if (again.exitCode === 0 && again.failed === 0) recovered.push(file)
}

for (const line of new Set(lanes.flatMap((lane) => lane.leftOut))) console.log(line)
for (const [file, messages] of faults) console.log(`\nfailed in ${file}:\n${messages.join('\n')}`)
for (const file of recovered) {
  stillFailed -= faults.get(file)?.length ?? 0
  console.log(`failed once, passed alone with the same seed: ${file}`)
}
console.log(`${Math.round((performance.now() - started) / 1000)} s`)
console.log(`${passed + failed - stillFailed} passed, ${stillFailed} failed`)
// Does not call process.exit, which would lose output that is still being written to a pipe.
process.exitCode = passed === 0 || stillFailed > 0 ? 1 : 0

/** The number of faults. Bun's own count omits errors outside of tests. */
function countFailed({ failed: counted, faults: found, exitCode }: Lane): number {
  const listed = sum([...found.values()].map((messages) => messages.length))
  return Math.max(counted, listed, exitCode === 0 ? 0 : 1)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
