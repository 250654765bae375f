// The screen that the email to a new address links to. It changes the account's email address only when the button is
// pressed, because email scanners open links too.

import { useState } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import { send } from './account-client.ts'
import type { DoorProps } from './doors.tsx'
import { RefusalNotice, ScreenTitle, SubmitButton } from './parts.tsx'
import { useSubmission } from './requests.ts'
import { useSession } from './session.ts'
import { texts } from './texts/texts.ts'
import { useLinkToken } from './verify.tsx'

/** Changes the account's email address. */
export function NewAddress({ place }: DoorProps) {
  const { reload } = useSession()
  const token = useLinkToken(place)
  const [isDone, setDone] = useState(false)
  const form = useSubmission()
  const submit = (event: Event) => {
    event.preventDefault()
    void form.run(async () => {
      await send('POST', '/v1/email-changes/confirm', { token })
      setDone(true)
      await reload()
    })
  }
  const isUnusable = form.refusal?.reason === 'invalid_token_link' || token === ''
  return (
    <form class="stack" onSubmit={submit}>
      <ScreenTitle title={texts().security.newAddress}>
        <p class="lead">{token === '' ? texts().openMailedLink : texts().security.confirmNewAddress}</p>
      </ScreenTitle>
      <RefusalNotice refusal={form.refusal} />
      {isDone && <Notice kind="good">{texts().security.addressChanged}</Notice>}
      {isDone || isUnusable ? (
        <p>
          <a href="#/settings">{texts().security.toSettings}</a>
        </p>
      ) : (
        <SubmitButton isBusy={form.isBusy}>{texts().security.useAddress}</SubmitButton>
      )}
    </form>
  )
}
