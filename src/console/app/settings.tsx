// The settings screen: the account, its password and its sessions.
import { useState } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import { send } from './account-client.ts'
import { useSubmission } from './asking.ts'
import { CopyLine } from './copy.tsx'
import { toDate } from './formats.ts'
import { Fact, PasswordField, RefusalNotice, ScreenTitle, SubmitButton } from './parts.tsx'
import { useLoggedIn, useSession } from './session.ts'

/** The settings screen. */
export function Settings() {
  const { account } = useLoggedIn()
  return (
    <>
      <ScreenTitle title="Settings" />
      <section class="card" aria-labelledby="account">
        <h2 id="account">Account</h2>
        <dl class="facts wide">
          <Fact name="E-mail">{account.email}</Fact>
          <Fact name="Created">{toDate(account.created_at)}</Fact>
        </dl>
        <h3>Account id: quote it when you contact the operator</h3>
        <CopyLine text={account.id} label="the account id" />
      </section>
      <PasswordCard email={account.email ?? ''} />
      <SessionsCard />
    </>
  )
}

function PasswordCard({ email }: { readonly email: string }) {
  const { ask } = useSession()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const [isDone, setDone] = useState(false)
  const form = useSubmission()
  const submit = async (event: Event) => {
    event.preventDefault()
    setDone(false)
    const isChanged = await form.run(async () => {
      await send('PUT', '/v1/password', { current_password: current, password })
      // The session may have a new CSRF token.
      await ask()
    })
    if (!isChanged) return
    setCurrent('')
    setPassword('')
    setDone(true)
  }
  return (
    <section class="card" aria-labelledby="password">
      <h2 id="password">Password</h2>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        {/* So that password managers know which account this is. */}
        <input
          class="unseen"
          type="email"
          autocomplete="username"
          value={email}
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <PasswordField label="Current password" value={current} onText={setCurrent} isNew={false} />
        <PasswordField label="New password" value={password} onText={setPassword} isNew={true} />
        <RefusalNotice refusal={form.refusal} />
        {isDone && <Notice kind="good">Password changed. You are logged out everywhere else.</Notice>}
        <div class="row">
          <SubmitButton isBusy={form.isBusy}>Change password</SubmitButton>
        </div>
      </form>
    </section>
  )
}

function SessionsCard() {
  const { leave } = useSession()
  const form = useSubmission()
  const run = () =>
    form.run(async () => {
      await send('DELETE', '/v1/sessions')
      leave('You are logged out everywhere.')
    })
  return (
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions">Log out everywhere</h2>
      <p>Ends every session of this account, including this one. Keys keep working.</p>
      <RefusalNotice refusal={form.refusal} />
      <div class="row">
        <button type="button" class="plain" aria-busy={form.isBusy} onClick={() => void run()}>
          Log out everywhere
        </button>
      </div>
    </section>
  )
}
