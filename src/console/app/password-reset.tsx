// Password reset: the form that requests an email, and the screen that the link in the email opens.

import { useState } from 'preact/hooks'
import { change, send } from './account-client.ts'
import { CodeField, needsCode } from './code-field.tsx'
import type { Session } from './contract.ts'
import type { DoorProps } from './doors.tsx'
import { EmailField } from './log-in.tsx'
import { PasswordField, RefusalNotice, ScreenTitle, SubmitButton } from './parts.tsx'
import { open } from './place.ts'
import { useSubmission } from './requests.ts'
import { useSession } from './session.ts'
import { texts } from './texts/texts.ts'
import { useLinkToken } from './verify.tsx'

/** Requests the email. The response does not reveal whether the email address has an account. */
export function ForgotPassword(_: DoorProps) {
  const [email, setEmail] = useState('')
  const [isSent, setSent] = useState(false)
  const form = useSubmission()
  const submit = async (event: Event) => {
    event.preventDefault()
    if (await form.run(() => send('POST', '/v1/password-resets', { email }))) setSent(true)
  }
  if (isSent) {
    return (
      <div class="stack">
        <ScreenTitle title={texts().checkMail}>
          <p class="lead">{texts().resetSentTo(email)}</p>
        </ScreenTitle>
        <p>
          <a href="#/log-in">{texts().backToLogIn}</a>
        </p>
      </div>
    )
  }
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <ScreenTitle title={texts().setNewPassword}>
        <p class="lead">{texts().weMailLink}</p>
      </ScreenTitle>
      <EmailField email={email} onText={setEmail} />
      <RefusalNotice refusal={form.refusal} />
      <SubmitButton isBusy={form.isBusy}>{texts().sendLink}</SubmitButton>
      <p class="small">
        <a href="#/log-in">{texts().backToLogIn}</a>
      </p>
    </form>
  )
}

/** Sets the new password, logs in on this device and ends all other sessions. */
export function ResetPassword({ place }: DoorProps) {
  const { enter } = useSession()
  const token = useLinkToken(place)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState<string | undefined>(undefined)
  const form = useSubmission()
  const submit = (event: Event) => {
    event.preventDefault()
    void form.run(async () => {
      const factor = code === undefined ? {} : { code: code.trim() }
      enter(await change<Session>('POST', '/v1/password-resets/confirm', { token, password, ...factor }))
      open('/')
    })
  }
  if (needsCode(form) && code === undefined) setCode('')
  return (
    <form class="stack" onSubmit={submit}>
      <ScreenTitle title={texts().chooseNewPassword}>
        <p class="lead">{texts().loggedInHere}</p>
      </ScreenTitle>
      <PasswordField label={texts().newPassword} value={password} onText={setPassword} isNew={true} />
      {code !== undefined && <CodeField value={code} onText={setCode} hint={texts().security.codeOrRecovery} />}
      <RefusalNotice refusal={form.refusal} />
      {form.refusal?.reason === 'invalid_token_link' ? (
        <p>
          <a href="#/forgot">{texts().requestNewLink}</a>
        </p>
      ) : (
        <SubmitButton isBusy={form.isBusy}>{texts().setPassword}</SubmitButton>
      )}
    </form>
  )
}
