// Shows when a departure leaves, as the minutes until then or as the time of day, and whether that time is live.
import type { NearbyDeparture } from './contract.ts'
import { untilDeparture } from './formats.ts'
import { texts } from './texts/texts.ts'

type Leaving = Pick<NearbyDeparture, 'status' | 'scheduled_at' | 'expected_at' | 'realtime'>

/** Whether a departure is canceled, or its vehicle skips the stop. */
export function isOff({ status }: Pick<Leaving, 'status'>): boolean {
  return status === 'canceled' || status === 'skipped'
}

/** The cell at the end of a departure's row. It shows when the vehicle leaves. */
export function Leaves({ departure, now }: { readonly departure: Leaving; readonly now: number }) {
  if (isOff(departure)) {
    return (
      <span class="leaves">
        <span class="status">{texts().callStatuses[departure.status]}</span>
      </span>
    )
  }
  return (
    <span class="leaves">
      {departure.realtime && (
        <>
          <span class="live-sign" aria-hidden="true" />
          <span class="unseen">{texts().live}: </span>
        </>
      )}
      <span class="number">{untilDeparture(departure.expected_at ?? departure.scheduled_at, now)}</span>
    </span>
  )
}
