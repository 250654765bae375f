// The log-in. An account whose address is not confirmed yet can have its mail again from here.
import { useState } from 'preact/hooks'
import { change, send } from './account-client.ts'
import { useSubmission } from './asking.ts'
import type { Session } from './contract.ts'
import type { DoorProps } from './doors.tsx'
import { Field, Notice, PasswordField, RefusalNotice, ScreenTitle, SubmitButton } from './parts.tsx'
import { useSession } from './session.ts'

/** E-mail and password. */
export function LogIn(_: DoorProps) {
  const { state, enter } = useSession()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const form = useSubmission()
  const notice = state.kind === 'out' ? state.notice : undefined
  const submit = (event: Event) => {
    event.preventDefault()
    void form.run(async () => enter(await change<Session>('POST', '/v1/sessions', { email, password })))
  }
  return (
    <form class="stack" onSubmit={submit}>
      <ScreenTitle title="Log in">
        <p class="lead">
          New here? <a href="#/sign-up">Create an account</a>
        </p>
      </ScreenTitle>
      {notice !== undefined && <Notice kind="info">{notice}</Notice>}
      <EmailField email={email} onText={setEmail} />
      <PasswordField label="Password" value={password} onText={setPassword} isNew={false} />
      {form.refusal?.reason === 'email_verification_required' ? (
        <Unverified email={email} />
      ) : (
        <RefusalNotice refusal={form.refusal} />
      )}
      <SubmitButton isBusy={form.isBusy}>Log in</SubmitButton>
      <p class="small">
        <a href="#/forgot">Forgot your password?</a>
      </p>
    </form>
  )
}

/** The address of an account. */
export function EmailField(props: { readonly email: string; onText(email: string): void }) {
  return (
    <Field
      label="E-mail"
      value={props.email}
      onText={props.onText}
      input={{
        inputMode: 'email',
        autocapitalize: 'none',
        spellcheck: false,
        autocomplete: 'username',
        required: true,
        maxLength: 254,
      }}
    />
  )
}

function Unverified({ email }: { readonly email: string }) {
  const mail = useSubmission()
  const [isSent, setSent] = useState(false)
  if (isSent) return <Notice kind="good">A new link is on its way to {email}. It works for an hour.</Notice>
  const resend = async () => {
    if (await mail.run(() => send('POST', '/v1/verifications/resend', { email }))) setSent(true)
  }
  return (
    <>
      <Notice kind="warning">
        Your address is not confirmed yet. Open the link we mailed you, or{' '}
        <button type="button" class="link" onClick={() => void resend()}>
          have a new one sent
        </button>
        .
      </Notice>
      <RefusalNotice refusal={mail.refusal} />
    </>
  )
}
