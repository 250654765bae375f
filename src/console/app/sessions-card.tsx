// The account's sessions: where its owner is logged in, with buttons that end the other sessions or all sessions.

import { send } from './account-client.ts'
import type { ListedSession, SessionList } from './contract.ts'
import { toDate, toTime } from './formats.ts'
import { RefusalNotice, Waiting } from './parts.tsx'
import { useAnswer, useSubmission } from './requests.ts'
import { useSession } from './session.ts'
import { texts } from './texts/texts.ts'

/** The sessions card. */
export function SessionsCard() {
  const { leave } = useSession()
  const list = useAnswer<SessionList>('/v1/sessions')
  const form = useSubmission()
  const endOthers = () =>
    form.run(async () => {
      await send('DELETE', '/v1/sessions/others')
      await list.again()
    })
  const endAll = () =>
    form.run(async () => {
      await send('DELETE', '/v1/sessions')
      leave(texts().loggedOutEverywhere)
    })
  const sessions = list.value?.sessions ?? []
  return (
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions">{texts().security.sessions}</h2>
      <p>{texts().security.sessionsLead}</p>
      {list.value === undefined ? (
        <Waiting problem={list.problem} again={list.again} />
      ) : (
        <ul class="sessions">
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      )}
      <RefusalNotice refusal={form.refusal} />
      <div class="row">
        {sessions.length > 1 && (
          <button type="button" class="plain" aria-busy={form.isBusy} onClick={() => void endOthers()}>
            {texts().security.endOthers}
          </button>
        )}
        <button type="button" class="plain" aria-busy={form.isBusy} onClick={() => void endAll()}>
          {texts().logOutEverywhere}
        </button>
      </div>
    </section>
  )
}

function SessionRow({ session }: { readonly session: ListedSession }) {
  const { security } = texts()
  const when = (at: string) => `${toDate(at)}, ${toTime(at)}`
  return (
    <li>
      <p>
        <strong>{session.device === null ? security.unknownDevice : security.device(session.device)}</strong>
        {session.is_current && <span class="state">{security.thisSession}</span>}
      </p>
      <p class="small">
        {security.startedAt(when(session.created_at))} · {security.usedAt(when(session.last_used_at))}
      </p>
    </li>
  )
}
