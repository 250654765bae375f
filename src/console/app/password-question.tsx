// The dialog that requests the password before a change that needs a recent login. It can open on every screen.

import { useEffect, useState } from 'preact/hooks'
import { confirmBy, send } from './account-client.ts'
import { Dialog, PasswordField, RefusalNotice, SubmitButton } from './parts.tsx'
import { useSubmission } from './requests.ts'
import { texts } from './texts/texts.ts'

/** A request that waits for the password. */
interface Waiting {
  end(isConfirmed: boolean): void
}

/** The dialog, shown while a request waits for the password. */
export function PasswordQuestion() {
  const [waiting, setWaiting] = useState<Waiting | undefined>(undefined)
  useEffect(() => {
    confirmBy(
      () =>
        new Promise((resolve) => {
          const end = (isConfirmed: boolean) => {
            setWaiting(undefined)
            resolve(isConfirmed)
          }
          setWaiting({ end })
        }),
    )
    return () => confirmBy(undefined)
  }, [])
  return waiting === undefined ? null : <Question waiting={waiting} />
}

function Question({ waiting }: { readonly waiting: Waiting }) {
  const [password, setPassword] = useState('')
  const form = useSubmission()
  const submit = (event: Event) => {
    event.preventDefault()
    // The dialog may be inside the form that sent the request. That form must not be submitted too.
    event.stopPropagation()
    void form
      .run(() => send('POST', '/v1/sessions/current/confirmations', { password }))
      .then((isRight) => isRight && waiting.end(true))
  }
  return (
    <Dialog title={texts().security.enterPassword} onClose={() => waiting.end(false)}>
      <form class="stack" onSubmit={submit}>
        <p>{texts().security.whyPassword}</p>
        <PasswordField label={texts().currentPassword} value={password} onText={setPassword} isNew={false} />
        <RefusalNotice refusal={form.refusal} />
        <div class="row">
          <SubmitButton isBusy={form.isBusy}>{texts().security.confirm}</SubmitButton>
          <button type="button" class="plain" onClick={() => waiting.end(false)}>
            {texts().cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
