// The account and its email address. A new address takes effect when it is confirmed.

import { useState } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import { send } from './account-client.ts'
import { CopyLine } from './copy.tsx'
import { toDate } from './formats.ts'
import { EmailField } from './log-in.tsx'
import { Fact, RefusalNotice, SubmitButton } from './parts.tsx'
import { useSubmission } from './requests.ts'
import { useLoggedIn } from './session.ts'
import { texts } from './texts/texts.ts'

/** The account card. */
export function AddressCard() {
  const { account } = useLoggedIn()
  const [isChanging, setChanging] = useState(false)
  return (
    <section class="card" aria-labelledby="account">
      <h2 id="account">{texts().account}</h2>
      <dl class="facts wide">
        <Fact name={texts().email}>{account.email}</Fact>
        <Fact name={texts().created}>{toDate(account.created_at)}</Fact>
      </dl>
      {isChanging ? (
        <AddressForm onClose={() => setChanging(false)} />
      ) : (
        <div class="row">
          <button type="button" class="plain" onClick={() => setChanging(true)}>
            {texts().security.changeAddress}
          </button>
        </div>
      )}
      <h3>{texts().accountId}</h3>
      <CopyLine text={account.id} label={texts().theAccountId} />
    </section>
  )
}

function AddressForm({ onClose }: { onClose(): void }) {
  const [email, setEmail] = useState('')
  const [sentTo, setSentTo] = useState<string | undefined>(undefined)
  const form = useSubmission()
  const submit = (event: Event) => {
    event.preventDefault()
    setSentTo(undefined)
    void form.run(async () => {
      await send('POST', '/v1/email-changes', { email })
      setSentTo(email.trim())
    })
  }
  return (
    <form class="stack" onSubmit={submit}>
      <EmailField label={texts().security.newAddress} email={email} onText={setEmail} />
      <RefusalNotice refusal={form.refusal} />
      {sentTo !== undefined && <Notice kind="good">{texts().security.addressLinkSent(sentTo)}</Notice>}
      <div class="row">
        <SubmitButton isBusy={form.isBusy}>{texts().sendLink}</SubmitButton>
        <button type="button" class="plain" onClick={onClose}>
          {sentTo === undefined ? texts().cancel : texts().security.close}
        </button>
      </div>
    </form>
  )
}
