// The activity screen: events of the account and its keys, newest first.

import { useState } from 'preact/hooks'
import { read } from './account-client.ts'
import type { AccountEvent, EventPage } from './contract.ts'
import { eventSentence } from './event-sentence.ts'
import { toDate, toTime } from './formats.ts'
import type { KeyList } from './keys.tsx'
import { Empty, RefusalNotice, ScreenTitle, Waiting } from './parts.tsx'
import { useAnswer, useSubmission } from './requests.ts'
import { texts } from './texts/texts.ts'

const PAGE_EVENTS = 50

/** The activity screen. */
export function Activity() {
  const first = useAnswer<EventPage>(`/v1/events?limit=${PAGE_EVENTS}`)
  const keys = useAnswer<KeyList>('/v1/keys')
  const [later, setLater] = useState<readonly EventPage[]>([])
  const more = useSubmission()
  const pages = first.value === undefined ? [] : [first.value, ...later]
  const events = pages.flatMap((page) => page.events)
  const cursor = pages.at(-1)?.next_cursor ?? null
  const names = new Map(keys.value?.keys.map((key) => [key.id, key.name]))
  const readMore = (from: string) =>
    more.run(async () => {
      const page = await read<EventPage>(`/v1/events?limit=${PAGE_EVENTS}&cursor=${encodeURIComponent(from)}`)
      setLater((before) => [...before, page])
    })
  return (
    <>
      <ScreenTitle title={texts().activity}>
        <p class="lead">{texts().recentChanges}</p>
      </ScreenTitle>
      {first.value === undefined ? (
        <Waiting problem={first.problem} again={first.again} />
      ) : events.length === 0 ? (
        <Empty title={texts().noActivity}>{texts().noActivityHint}</Empty>
      ) : (
        <EventDays events={events} names={names} />
      )}
      <RefusalNotice refusal={more.refusal} />
      {cursor !== null && (
        <button type="button" class="plain earlier" aria-busy={more.isBusy} onClick={() => void readMore(cursor)}>
          {texts().showEarlier}
        </button>
      )}
    </>
  )
}

function EventDays(props: { readonly events: readonly AccountEvent[]; readonly names: ReadonlyMap<string, string> }) {
  const days = Map.groupBy(props.events, (event) => toDate(event.at))
  return (
    <>
      {[...days].map(([day, events]) => (
        <section key={day} class="event-day" aria-label={day}>
          <h2>{day}</h2>
          <ol>
            {events.map((event) => (
              <li key={event.id} class={`event ${event.kind.startsWith('key_') ? 'of-key' : ''}`}>
                <time dateTime={event.at} title={event.at}>
                  {toTime(event.at)}
                </time>
                <p>{eventSentence(event, props.names)}</p>
              </li>
            ))}
          </ol>
        </section>
      ))}
    </>
  )
}
