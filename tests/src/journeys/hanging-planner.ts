// A planner thread that hangs on its first query if it is started with the argument `hang`. Without this argument, it
// answers.
import type { FromPlanner, ToPlanner } from '../../../src/journeys/planner-messages.ts'

declare const self: Worker

const post = (message: FromPlanner) => self.postMessage(message)
self.onmessage = ({ data }: MessageEvent<ToPlanner>) => {
  if (data.kind !== 'plan') return
  if (process.argv.includes('hang')) for (let turns = 0; turns < Number.POSITIVE_INFINITY; turns++);
  const outcome = {
    kind: 'journeys',
    data: '[]',
    count: 0,
    isRealtime: false,
    reason: 'no_connection',
    maxWalkMeters: 1000,
  } as const
  post({ kind: 'planned', number: data.number, outcome })
}
post({ kind: 'awake' })
