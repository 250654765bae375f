// A replica for `bench/cluster.ts`, without HTTP. It makes calls with many keys at a steady rate. The gate of its data
// thread admits and charges each call. Its settings are in the environment variable QUAI_BENCH_REPLICA. When standard
// input ends, the replica prints its results as JSON and exits.
import type { Caller, LimitRefusal, Reservation } from '../src/access/gate.ts'
import { openGrantGate } from '../src/cluster/grant-gate.ts'
import { openReplica } from '../src/cluster/open-replica.ts'
import { isReplicaConfig, loadConfig } from '../src/config/config.ts'
import { below, seededRandom } from '../src/demo/seeded-random.ts'
import { toKeyId } from '../src/keys/key-number.ts'

/** The settings of a replica. */
export interface ReplicaTask {
  readonly configFile: string
  readonly ordinal: number
  /** Number of keys that call once per second: the keys with the lowest numbers. */
  readonly steadyKeys: number
  /** Number of keys that call rarely. Their numbers follow those of the steady keys. */
  readonly rareKeys: number
  /**
   * Total number of calls per second by all rare keys, after the first `firstSeconds`. During `firstSeconds`, each rare
   * key calls once.
   */
  readonly rarePerSecond: number
  readonly firstSeconds: number
}

/** The results of a replica: the numbers of calls that were charged, that waited for units, and that were refused. */
export interface ReplicaDone {
  readonly charged: number
  readonly waited: number
  readonly refused: number
}

const SLICE_MILLIS = 20
/** Maximum time until a call that waits for units is answered. */
const WAIT_MILLIS = 1_000

const task: ReplicaTask = JSON.parse(process.env['QUAI_BENCH_REPLICA'] ?? '')
const config = loadConfig({ file: task.configFile })
if (!isReplicaConfig(config)) throw new Error('the configuration is not for a replica')
const onProblem = (message: string) => console.error(`replica ${task.ordinal}: ${message}`)
const accounts = await openReplica(config, { onProblem, onEnded: onProblem })
const { fleet } = accounts
if (fleet === undefined) throw new Error('a replica must have a fleet')
const { gate, notify } = openGrantGate(await accounts.start(), 0, (request) => fleet.answer(request, 0))
fleet.connect({
  notify: (each) => {
    if (each.kind === 'units' || each.kind === 'usage') notify?.(each)
  },
  heldStreams: () => ({ keys: new Map(), accounts: new Map() }),
  liveFigures: () => undefined,
})
await fleet.serve()
accounts.startFlushing()
const random = seededRandom(task.ordinal, 'replica')
const done = { charged: 0, waited: 0, refused: 0 }
let steadyCalls = 0
let firstCalls = 0
let rareCalls = 0
const startMillis = performance.now()
const timer = setInterval(() => {
  const seconds = (performance.now() - startMillis) / 1_000
  const { steadyKeys, rareKeys, rarePerSecond, firstSeconds } = task
  for (; steadyCalls < seconds * steadyKeys; steadyCalls++) call(steadyCalls % steadyKeys)
  for (; firstCalls < Math.min(1, seconds / firstSeconds) * rareKeys; firstCalls++) call(steadyKeys + firstCalls)
  for (; rareCalls < (seconds - firstSeconds) * rarePerSecond; rareCalls++) call(steadyKeys + below(random, rareKeys))
}, SLICE_MILLIS)
console.log('ready')
for await (const _ of process.stdin) {
  // The loop ends when standard input ends.
}
clearInterval(timer)
await Bun.sleep(WAIT_MILLIS)
await accounts.close()
console.log(JSON.stringify(done))
process.exit(0)

/** Makes a call with the given key; key numbers start at 0. The id of a key is also the id of its account. */
function call(number: number): void {
  const id = toKeyId(number + 1)
  const caller: Caller = { keyId: id, accountId: id, plan: 'max' }
  const taken = gate.reserve(caller, 1)
  if (!('reason' in taken)) return charge(taken)
  if (taken.later === undefined) return void done.refused++
  done.waited++
  void taken.later.then((late) => charge(late.taken))
}

function charge(taken: Reservation | LimitRefusal): void {
  if ('reason' in taken || gate.charge(taken) !== undefined) done.refused++
  else done.charged++
}
