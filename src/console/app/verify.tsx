// The screen that a verification email links to. It confirms the email address only when the button is pressed, because
// email scanners also open links, and each link works only once.

import { useEffect, useState } from 'preact/hooks'
import { change } from './account-client.ts'
import type { Session } from './contract.ts'
import type { DoorProps } from './doors.tsx'
import { PasswordField, RefusalNotice, ScreenTitle, SubmitButton } from './parts.tsx'
import { forgetQuery, open } from './place.ts'
import { useSubmission } from './requests.ts'
import { useSession } from './session.ts'
import { texts } from './texts/texts.ts'

/** Confirms an email address and logs in. */
export function Verify({ place }: DoorProps) {
  const { enter } = useSession()
  const token = useLinkToken(place)
  const [password, setPassword] = useState<string | undefined>(undefined)
  const form = useSubmission()
  const submit = (event: Event) => {
    event.preventDefault()
    void form.run(async () => {
      enter(await change<Session>('POST', '/v1/verifications', { token, ...(password !== undefined && { password }) }))
      open('/')
    })
  }
  // The service refuses with `confirmation_required` if several sign-ups used this email address. It then needs the
  // password to find the sign-up that the link belongs to.
  if (form.refusal?.reason === 'confirmation_required' && password === undefined) setPassword('')
  return (
    <form class="stack" onSubmit={submit}>
      <ScreenTitle title={texts().confirmAddress}>
        <p class="lead">{token === '' ? texts().openMailedLink : texts().oneStepLeft}</p>
      </ScreenTitle>
      {password !== undefined && <p>{texts().signedUpTwice}</p>}
      {password !== undefined && (
        <PasswordField label={texts().signUpPassword} value={password} onText={setPassword} isNew={false} />
      )}
      {form.refusal?.reason !== 'confirmation_required' && <RefusalNotice refusal={form.refusal} />}
      {form.refusal?.reason === 'invalid_token_link' || token === '' ? (
        <p>
          <a href="#/sign-up">{texts().signUpAgain}</a> {texts().toGetNewLink}
        </p>
      ) : (
        <SubmitButton isBusy={form.isBusy}>{texts().confirmAndContinue}</SubmitButton>
      )}
    </form>
  )
}

/** Returns the token from an emailed link, and removes the token from the page's address. */
export function useLinkToken({ path, query }: DoorProps['place']): string {
  const [token, setToken] = useState(query.get('token') ?? '')
  const given = query.get('token')
  useEffect(() => {
    if (given === null) return
    setToken(given)
    forgetQuery(path)
  }, [given, path])
  return token
}
