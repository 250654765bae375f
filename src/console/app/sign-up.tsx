// The sign-up. The response is the same for every email address, so that it does not reveal who has an account.

import { useState } from 'preact/hooks'
import { send } from './account-client.ts'
import type { DoorProps } from './doors.tsx'
import { EmailField } from './log-in.tsx'
import { PasswordField, RefusalNotice, ScreenTitle, SubmitButton } from './parts.tsx'
import { useSubmission } from './requests.ts'
import { texts } from './texts/texts.ts'

/** The sign-up form and, after it is sent, a note that an email was sent. */
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
      <ScreenTitle title={texts().createAccountTitle}>
        <p class="lead">
          {texts().haveOne} <a href="#/log-in">{texts().logIn}</a>
        </p>
      </ScreenTitle>
      <EmailField email={email} onText={setEmail} />
      <PasswordField label={texts().password} value={password} onText={setPassword} isNew={true} />
      <RefusalNotice refusal={form.refusal} />
      <SubmitButton isBusy={form.isBusy}>{texts().createAccount}</SubmitButton>
    </form>
  )
}

/**
 * The note that an email was sent. Its button signs up again with the same password, so that the email is sent again.
 */
function MailSent({ email, password }: { readonly email: string; readonly password: string }) {
  const mail = useSubmission()
  const [isAgain, setAgain] = useState(false)
  const resend = async () => {
    if (await mail.run(() => send('POST', '/v1/sign-up', { email, password }))) setAgain(true)
  }
  return (
    <div class="stack">
      <ScreenTitle title={texts().checkMail}>
        <p class="lead">{texts().linkSentTo(email)}</p>
      </ScreenTitle>
      <p>{texts().linkWorksOnce}</p>
      <RefusalNotice refusal={mail.refusal} />
      <p class="row">
        <button type="button" class="plain" onClick={() => void resend()} disabled={isAgain} aria-busy={mail.isBusy}>
          {isAgain ? texts().sentAgain : texts().sendAgain}
        </button>
        <a href="#/log-in">{texts().backToLogIn}</a>
      </p>
    </div>
  )
}
