// `bun run test:storm --minutes N --seed S` runs a service under kills, broken connections, faulty feeds, full disks,
// clock jumps, slow readers, floods and reloads. The seed determines these events. Meanwhile, an external client checks
// every response and every unit. At the end, the figures are printed. The exit status is 1 if a figure misses its
// limit. If QUAI_FEEDS is set, a real feed is served too.
import { parseArgs } from 'node:util'
import { rageStorm } from './storm.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } })
const minutes = Number(values.minutes ?? 10)
const seed = Number(values.seed ?? Date.now() % 0x7fff_ffff)
if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error('--minutes must be above 0, and --seed an integer')
process.exit((await rageStorm({ minutes, seed })) ? 0 : 1)
