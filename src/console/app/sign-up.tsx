// The sign-up. The response is the same for every address, so it does not reveal who has an account.
import { useState } from 'preact/hooks'
import { send } from './account-client.ts'
import { useSubmission } from './asking.ts'
import type { DoorProps } from './doors.tsx'
import { EmailField } from './log-in.tsx'
import { PasswordField, RefusalNotice, ScreenTitle, SubmitButton } from './parts.tsx'

/** The sign-up form, then a note to check the mail. */
export function SignUp(_: DoorProps) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [isSent, setSent] = useState(false)
  const form = useSubmission()
  const submit = async (event: Event) => {
    event.preventDefault()
    if (await form.run(() => send('POST', '/v1/sign-up', { email, password }))) setSent(true)
  }
  if (isSent) return <MailSent email={email} password={password} />
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <ScreenTitle title="Create an account">
        <p class="lead">
          Already have one? <a href="#/log-in">Log in</a>
        </p>
      </ScreenTitle>
      <EmailField email={email} onText={setEmail} />
      <PasswordField label="Password" value={password} onText={setPassword} isNew={true} />
      <RefusalNotice refusal={form.refusal} />
      <SubmitButton isBusy={form.isBusy}>Create account</SubmitButton>
    </form>
  )
}

/** Signing up again sends the mail again. Its link is bound to this password. */
function MailSent({ email, password }: { readonly email: string; readonly password: string }) {
  const mail = useSubmission()
  const [isAgain, setAgain] = useState(false)
  const resend = async () => {
    if (await mail.run(() => send('POST', '/v1/sign-up', { email, password }))) setAgain(true)
  }
  return (
    <div class="stack">
      <ScreenTitle title="Check your mail">
        <p class="lead">
          We sent a link to <strong>{email}</strong>. Open it to confirm the address, then create your first key.
        </p>
      </ScreenTitle>
      <p>The link works once and expires in an hour. If it doesn’t arrive within a minute, check your spam folder.</p>
      <RefusalNotice refusal={mail.refusal} />
      <p class="row">
        <button type="button" class="plain" onClick={() => void resend()} disabled={isAgain} aria-busy={mail.isBusy}>
          {isAgain ? 'Sent again' : 'Send again'}
        </button>
        <a href="#/log-in">Back to log in</a>
      </p>
    </div>
  )
}
