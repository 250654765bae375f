// Login. After a wrong email address or password, the form also links to the sign-up: the address may not be confirmed
// yet, and signing up again sends another confirmation email. After too many failed attempts, the form links to the
// password reset, which logs the owner in at once.

import { useState } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import { change } from './account-client.ts'
import { CodeField, needsCode } from './code-field.tsx'
import type { Session } from './contract.ts'
import type { DoorProps } from './doors.tsx'
import { Field, PasswordField, RefusalNotice, ScreenTitle, SubmitButton } from './parts.tsx'
import { useSubmission } from './requests.ts'
import { useSession } from './session.ts'
import { texts } from './texts/texts.ts'
import { logInWithPasskey } from './webauthn.ts'

/** The login form. */
export function LogIn(_: DoorProps) {
  const { state, enter } = useSession()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState<string | undefined>(undefined)
  const form = useSubmission()
  const notice = state.kind === 'out' ? state.notice : undefined
  const submit = (event: Event) => {
    event.preventDefault()
    const factor = code === undefined ? {} : { code: code.trim() }
    void form.run(async () => enter(await change<Session>('POST', '/v1/sessions', { email, password, ...factor })))
  }
  const usePasskey = () => void form.run(async () => enter(await logInWithPasskey()))
  if (needsCode(form) && code === undefined) setCode('')
  return (
    <form class="stack" onSubmit={submit}>
      <ScreenTitle title={texts().logIn}>
        <p class="lead">
          {texts().newHere} <a href="#/sign-up">{texts().createAccountLink}</a>
        </p>
      </ScreenTitle>
      {notice !== undefined && <Notice kind="info">{notice}</Notice>}
      <EmailField email={email} onText={setEmail} />
      <PasswordField label={texts().password} value={password} onText={setPassword} isNew={false} />
      {code !== undefined && <CodeField value={code} onText={setCode} hint={texts().security.codeOrRecovery} />}
      <RefusalNotice refusal={form.refusal} />
      {form.refusal?.reason === 'wrong_credentials' && (
        <p class="small">
          {texts().linkExpired} <a href="#/sign-up">{texts().signUpAgain}</a> {texts().toGetNewOne}
        </p>
      )}
      {form.refusal?.reason === 'mail_link_required' && (
        <p class="small">
          <a href="#/forgot">{texts().sendMeLink}</a>
        </p>
      )}
      <SubmitButton isBusy={form.isBusy}>{texts().logIn}</SubmitButton>
      <button type="button" class="plain" onClick={usePasskey}>
        {texts().security.logInWithPasskey}
      </button>
      <p class="small">
        <a href="#/forgot">{texts().forgot}</a>
      </p>
    </form>
  )
}

/** The field for an email address. */
export function EmailField(props: { readonly email: string; readonly label?: string; onText(email: string): void }) {
  return (
    <Field
      label={props.label ?? texts().email}
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
