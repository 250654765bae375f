// Tests that bench/thread-clock.ts finds the thread that handles given requests. Fails if this code finds a thread that
// does only other work, or finds any thread at all although two threads share the requests.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findThread } from '../../bench/thread-clock.ts'

/**
 * A process with two Workers of the same name. A request to `/0` or `/1` makes the first or second Worker do a fixed
 * amount of work, about 10 ms.
 */
const PROGRAM = `
if (Bun.isMainThread) {
  const workers = [new Worker(Bun.main), new Worker(Bun.main)]
  const server = Bun.serve({
    port: 0,
    fetch: async ({ url }) => {
      const answered = Promise.withResolvers()
      const worker = workers[Number(url.at(-1))]
      worker.onmessage = () => answered.resolve()
      worker.postMessage('work')
      await answered.promise
      return new Response('done')
    },
  })
  console.log(server.port)
} else {
  self.onmessage = () => {
    let mixed = 1
    for (let step = 0; step < 1e7; step++) mixed = Math.imul(mixed ^ step, 0x01000193)
    self.postMessage(mixed)
  }
}
`

const folder = mkdtempSync(join(tmpdir(), 'quai-threads-'))
let child: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
let port = 0

beforeAll(async () => {
  const file = join(folder, 'program.ts')
  writeFileSync(file, PROGRAM)
  child = Bun.spawn([process.execPath, file], { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
  const { value } = await child.stdout.getReader().read()
  port = Number(new TextDecoder().decode(value))
})

afterAll(async () => {
  child.kill()
  await child.exited
  rmSync(folder, { recursive: true })
})

const ask = async (worker: number) => {
  for (let time = 0; time < 4; time++) await (await fetch(`http://127.0.0.1:${port}/${worker}`)).text()
}

test('each thread is identified by its own work, and its time grows with it', async () => {
  const first = await findThread(child.pid, () => ask(0))
  const second = await findThread(child.pid, () => ask(1), [first])
  expect(second.threadId).not.toBe(first.threadId)
  const before = { first: first.nanoseconds(), second: second.nanoseconds() }
  await ask(1)
  expect(second.nanoseconds() - before.second).toBeGreaterThan(5 * (first.nanoseconds() - before.first))
})

test('work shared by two threads is assigned to neither', async () => {
  const work = async () => {
    await ask(0)
    await ask(1)
  }
  await expect(findThread(child.pid, work)).rejects.toThrow('no single thread')
})
