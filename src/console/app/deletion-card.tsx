// Deletes the account, after the owner has typed the account's email address.

import { useState } from 'preact/hooks'
import { send } from './account-client.ts'
import { Dialog, Field, RefusalNotice, SubmitButton } from './parts.tsx'
import { useSubmission } from './requests.ts'
import { useLoggedIn, useSession } from './session.ts'
import { texts } from './texts/texts.ts'

/** The card with the button that deletes the account. */
export function DeletionCard() {
  const [isAsking, setAsking] = useState(false)
  return (
    <section class="card" aria-labelledby="deletion">
      <h2 id="deletion">{texts().security.deleteAccount}</h2>
      <p>{texts().security.whatDeletionDoes}</p>
      <div class="row">
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          {texts().security.deleteAccount}
        </button>
      </div>
      {isAsking && <Question onClose={() => setAsking(false)} />}
    </section>
  )
}

function Question({ onClose }: { onClose(): void }) {
  const { account } = useLoggedIn()
  const { leave } = useSession()
  const [typed, setTyped] = useState('')
  const form = useSubmission()
  const email = account.email ?? ''
  const submit = (event: Event) => {
    event.preventDefault()
    if (typed.trim().toLowerCase() !== email.toLowerCase()) return form.refuse(texts().typeExactly(email))
    void form.run(async () => {
      await send('DELETE', '/v1/account')
      leave(texts().security.accountDeleted)
    })
  }
  return (
    <Dialog title={texts().security.deleteAccount} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p>{texts().security.cannotUndo}</p>
        <Field
          label={texts().security.typeAddress(email)}
          value={typed}
          onText={setTyped}
          input={{ required: true, autocomplete: 'off', autocapitalize: 'none', spellcheck: false, maxLength: 254 }}
        />
        <RefusalNotice refusal={form.refusal} />
        <div class="row">
          <SubmitButton isBusy={form.isBusy} kind="danger">
            {texts().security.deleteForGood}
          </SubmitButton>
          <button type="button" class="plain" onClick={onClose}>
            {texts().cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
