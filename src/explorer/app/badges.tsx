// Health of the network's feeds, from the free /status resource.
import { Notice } from '../../pages/app/notice.tsx'
import { useAnswer } from './asking.ts'
import type { Network, Status } from './contract.ts'
import { isReachable } from './reach.ts'
import { useStage } from './stage.ts'
import { useStored } from './stored.ts'

/** Short enough that a service that has gone is noticed within 15 seconds. */
const ANEW_SECONDS = 10

/** The health of the chosen network; undefined until it is known, and while the API can't be reached. */
export function useHealth(): Status | undefined {
  const { network } = useStage()
  const { answer } = useAnswer<readonly Status[]>('/status', 'Health of the feeds', ANEW_SECONDS)
  const isKnown = useStored(isReachable)
  return isKnown ? answer?.data.find((each) => each.network === network.id) : undefined
}

/** Whether a network has live feeds. Its status is `ok` without them, too. */
function isLive({ capabilities }: Network): boolean {
  return capabilities.realtime_departures || capabilities.alerts || capabilities.vehicles !== 'none'
}

/** Says at the top of the panel that live data is missing. */
export function LiveTrouble({ health }: { readonly health: Status | undefined }) {
  const { network } = useStage()
  if (health === undefined || health.realtime === 'ok' || !isLive(network)) return null
  return (
    <Notice kind="warning">
      {health.realtime === 'down'
        ? 'Live data is down. Departures show the timetable.'
        : 'Some live data is missing or late. Departures may show the timetable.'}
    </Notice>
  )
}

/** Badges for the chosen network's feeds. */
export function Badges({ health }: { readonly health: Status | undefined }) {
  const { network } = useStage()
  if (health === undefined) return null
  const { realtime, last_error, static_refreshed_at } = health
  return (
    <ul class="badges">
      {isLive(network) ? (
        <li class={`badge ${realtime === 'ok' ? 'realtime' : realtime === 'degraded' ? 'stale' : 'down'}`}>
          Realtime {realtime}
        </li>
      ) : (
        <li class="badge scheduled">No live data</li>
      )}
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
