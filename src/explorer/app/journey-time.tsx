// The fields for the departure or arrival time of a journey. The time is in the network's time zone, not in the user's.
import { serviceNow } from './api-client.ts'
import { texts } from './texts/texts.ts'

/** The choice between departure and arrival, and the time, in the network's time zone. */
export function When(props: {
  readonly at: string
  readonly by: string
  readonly timeZone: string
  onChange(changes: Readonly<Record<string, string>>): void
}) {
  const kind = props.at === '' ? 'now' : props.by === 'arrive' ? 'arrive' : 'depart'
  const choose = (next: string) => {
    if (next === 'now') props.onChange({ at: '', by: '' })
    else props.onChange({ at: props.at === '' ? wallTime(props.timeZone, serviceNow()) : props.at, by: next })
  }
  return (
    <div class="when">
      <select aria-label={texts().when} value={kind} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="now">{texts().leaveNow}</option>
        <option value="depart">{texts().leaveAt}</option>
        <option value="arrive">{texts().arriveBy}</option>
      </select>
      {kind !== 'now' && (
        <input
          type="datetime-local"
          aria-label={texts().dateAndTime}
          value={props.at}
          onChange={(event) => {
            if (event.currentTarget.value !== '') props.onChange({ at: event.currentTarget.value })
          }}
        />
      )}
    </div>
  )
}

/** The date and time in a time zone, in the format of input fields, such as "2026-11-17T08:40". */
function wallTime(timeZone: string, nowMillis: number): string {
  const options = { dateStyle: 'short', timeStyle: 'short', timeZone } as const
  return new Intl.DateTimeFormat('sv', options).format(nowMillis).replace(' ', 'T')
}

/**
 * The UTC offset of a time zone at a local time, such as "+01:00". Close to the start or end of daylight-saving time,
 * the result may be the offset on the other side of the change.
 */
export function offsetAt(wallTime: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const name = format
    .formatToParts(new Date(`${wallTime.slice(0, 16)}:00Z`))
    .find(({ type }) => type === 'timeZoneName')?.value
  const offset = name?.replace('GMT', '') ?? ''
  return offset === '' ? '+00:00' : offset
}
