// The health of the network's feeds, read from the `/status` resource, which costs no units.

import { Notice } from '../../pages/app/notice.tsx'
import { useStored } from '../../pages/app/use-stored.ts'
import type { Network, Status } from './contract.ts'
import { toDayAndClock } from './formats.ts'
import { API_URL } from './page-addresses.ts'
import { isReachable } from './reach.ts'
import { useAnswer } from './read-hooks.ts'
import { useStage } from './stage.ts'
import { texts } from './texts/texts.ts'

/**
 * Seconds between two status requests. The page then notices within 15 seconds that the service has stopped responding.
 */
const ANEW_SECONDS = 10

/** The health of the chosen network; undefined before the first response, and while the API can't be reached. */
export function useHealth(): Status | undefined {
  const { network } = useStage()
  const { answer } = useAnswer<readonly Status[]>('/status', 'health', ANEW_SECONDS)
  const isKnown = useStored(isReachable)
  return isKnown ? answer?.data.find((each) => each.network === network.id) : undefined
}

/** Whether a network has live feeds. The status of a network without live feeds is also `ok`. */
function isLive({ capabilities }: Network): boolean {
  return capabilities.realtime_departures || capabilities.alerts || capabilities.vehicles !== 'none'
}

/** Shows at the top of the panel that live data is missing, with a link to the state of each feed. */
export function LiveTrouble({ health }: { readonly health: Status | undefined }) {
  const { network } = useStage()
  if (health === undefined || health.realtime === 'ok' || !isLive(network)) return null
  return (
    <Notice kind="warning">
      {health.realtime === 'down' ? texts().liveDown : texts().liveDegraded}{' '}
      <a href={`${API_URL}/status`} target="_blank" rel="noreferrer">
        {texts().whichFeeds}
      </a>
    </Notice>
  )
}

/** Badges that show the state of the chosen network's feeds. */
export function Badges({ health }: { readonly health: Status | undefined }) {
  const { network } = useStage()
  if (health === undefined) return null
  const { realtime, last_error, static_refreshed_at } = health
  return (
    <ul class="badges">
      {isLive(network) ? (
        <li class={`badge ${realtime === 'ok' ? 'realtime' : realtime === 'degraded' ? 'stale' : 'down'}`}>
          {{ ok: texts().liveOk, degraded: texts().liveLate, down: texts().liveIsDown }[realtime]}
        </li>
      ) : (
        <li class="badge scheduled">{texts().noLiveData}</li>
      )}
      <li class="badge scheduled">
        {static_refreshed_at === null ? texts().noTimetable : texts().timetableFrom(toDayAndClock(static_refreshed_at))}
      </li>
      {last_error !== null && <li class="badge stale">{texts().feedTrouble(last_error.source)}</li>}
    </ul>
  )
}
