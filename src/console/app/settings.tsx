// The settings screen: the account, its password, second factor, passkeys, sessions and deletion.

import { useState } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import { send } from './account-client.ts'
import { AddressCard } from './address-card.tsx'
import { DeletionCard } from './deletion-card.tsx'
import { FactorCard } from './factor-card.tsx'
import { PasswordField, RefusalNotice, ScreenTitle, SubmitButton } from './parts.tsx'
import { PasskeysCard } from './passkeys-card.tsx'
import { useSubmission } from './requests.ts'
import { useLoggedIn, useSession } from './session.ts'
import { SessionsCard } from './sessions-card.tsx'
import { texts } from './texts/texts.ts'

/** The settings screen. */
export function Settings() {
  const { account } = useLoggedIn()
  return (
    <>
      <ScreenTitle title={texts().settings} />
      <AddressCard />
      <PasswordCard email={account.email ?? ''} />
      <FactorCard />
      <PasskeysCard />
      <SessionsCard />
      <DeletionCard />
    </>
  )
}

function PasswordCard({ email }: { readonly email: string }) {
  const { reload } = useSession()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const [isDone, setDone] = useState(false)
  const form = useSubmission()
  const submit = async (event: Event) => {
    event.preventDefault()
    setDone(false)
    const isChanged = await form.run(async () => {
      await send('PUT', '/v1/password', { current_password: current, password })
      // The password change may have replaced the session's CSRF token, so the session is requested again.
      await reload()
    })
    if (!isChanged) return
    setCurrent('')
    setPassword('')
    setDone(true)
  }
  return (
    <section class="card" aria-labelledby="password">
      <h2 id="password">{texts().password}</h2>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        {/* Password managers read the account's address here. */}
        <input
          class="unseen"
          type="email"
          autocomplete="username"
          value={email}
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <PasswordField label={texts().currentPassword} value={current} onText={setCurrent} isNew={false} />
        <PasswordField label={texts().newPassword} value={password} onText={setPassword} isNew={true} />
        <RefusalNotice refusal={form.refusal} />
        {isDone && <Notice kind="good">{texts().passwordIsChanged}</Notice>}
        <div class="row">
          <SubmitButton isBusy={form.isBusy}>{texts().changePassword}</SubmitButton>
        </div>
      </form>
    </section>
  )
}
