// Health of the network's feeds, from the free /status resource, polled every 30 seconds.
import { useAnswer } from './asking.ts'
import type { Status } from './contract.ts'
import { useStage } from './stage.ts'

const ANEW_SECONDS = 30

/** Badges for the chosen network's feeds. */
export function Badges() {
  const { network } = useStage()
  const { answer } = useAnswer<readonly Status[]>('/status', 'Health of the feeds', ANEW_SECONDS)
  const status = answer?.data.find((each) => each.network === network.id)
  if (status === undefined) return null
  const { realtime, last_error, static_refreshed_at } = status
  return (
    <ul class="badges">
      <li class={`badge ${realtime === 'ok' ? 'realtime' : realtime === 'degraded' ? 'stale' : 'down'}`}>
        Realtime {realtime}
      </li>
      <li class="badge scheduled">
        {static_refreshed_at === null
          ? 'No timetable yet'
          : `Timetable from ${static_refreshed_at.slice(0, 16).replace('T', ' ')}`}
      </li>
      {last_error !== null && (
        <li class="badge stale">
          {last_error.source}: {last_error.message}
        </li>
      )}
    </ul>
  )
}
