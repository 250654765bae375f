// A thread that opens and closes streams as fast as it can. Reports how many streams it opened, and the largest number
// of streams that all threads together had open when it opened one.
import { StreamSlots } from '../../../src/streams/stream-slots.ts'

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<{ memory: SharedArrayBuffer; tally: SharedArrayBuffer; rounds: number }>) => {
  const slots = new StreamSlots(data.memory)
  const open = new Int32Array(data.tally)
  let most = 0
  let taken = 0
  for (let round = 0; round < data.rounds; round++) {
    const held: number[] = []
    for (let at = 0; at < 4; at++) {
      const answer = slots.take({ keyId: 'key_1', accountId: 'acc_1' })
      if (answer.kind === 'full') continue
      most = Math.max(most, Atomics.add(open, 0, 1) + 1)
      taken++
      held.push(answer.slot)
    }
    for (const slot of held) {
      Atomics.sub(open, 0, 1)
      slots.release(slot)
    }
  }
  self.postMessage({ most, taken })
}
