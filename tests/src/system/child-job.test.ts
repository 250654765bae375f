// Tests jobs in child processes. If a job fails, the parent process must get the reason. Fails if the reason is lost
// among the lines that the runtime prints after an error.
import { expect, test } from 'bun:test'
import { reasonOf } from '../../../src/system/child-job.ts'
import { commandOf } from '../../service/running.ts'
import { fillUp, makeSmallDisk } from '../../service/small-disk.ts'

const JOBS = ['streets-child', 'ground-child']

async function reasonFor(job: string, order: unknown): Promise<string> {
  const child = Bun.spawn([...commandOf('source'), job], {
    stdin: new Blob([JSON.stringify(order)]),
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const talk = await new Response(child.stderr).text()
  expect(await child.exited).toBe(1)
  return reasonOf(talk)
}

test('a bug in a job is reported by its error, not by the runtime version', async () => {
  for (const job of JOBS) expect(await reasonFor(job, {})).toMatch(/^TypeError: /)
})

test('a full disk is reported in words', async () => {
  const disk = makeSmallDisk(1)
  try {
    if (!disk.isMounted) return console.log('left out: a full disk (no file system can be mounted here)')
    fillUp(disk.folder, 0)
    const order = { dataDir: disk.folder, sources: ['some.osm.pbf'], networks: [], hasBuildings: true, attribution: '' }
    for (const job of JOBS) {
      expect(await reasonFor(job, order)).toBe(`no space left in ${disk.folder} for the streets and the map`)
    }
  } finally {
    disk.remove()
  }
})

test('the last line that names an error counts, else the last line', () => {
  expect(reasonOf('quai: no space left\n')).toBe('no space left')
  expect(reasonOf('1 | a\nRangeError: too long\n    at b (c.ts:1)\n\nBun v1.4.5 (Linux x64)')).toBe(
    'RangeError: too long',
  )
  expect([reasonOf('killed'), reasonOf('')]).toEqual(['killed', ''])
})
