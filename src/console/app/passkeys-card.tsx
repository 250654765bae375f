// The account's passkeys: lists, adds and removes them.

import { useState } from 'preact/hooks'
import { send } from './account-client.ts'
import type { Passkey, PasskeyList } from './contract.ts'
import { toDate } from './formats.ts'
import { Field, RefusalNotice, SubmitButton, Waiting } from './parts.tsx'
import { useAnswer, useSubmission } from './requests.ts'
import { texts } from './texts/texts.ts'
import { addPasskey } from './webauthn.ts'

const NAME_CHARACTERS = 100

/** The passkeys card. */
export function PasskeysCard() {
  const list = useAnswer<PasskeyList>('/v1/passkeys')
  const [isAdding, setAdding] = useState(false)
  const form = useSubmission()
  const remove = ({ id }: Passkey) =>
    form.run(async () => {
      await send('DELETE', `/v1/passkeys/${encodeURIComponent(id)}`)
      await list.again()
    })
  const onAdded = async () => {
    setAdding(false)
    await list.again()
  }
  return (
    <section class="card" aria-labelledby="passkeys">
      <h2 id="passkeys">{texts().security.passkeys}</h2>
      <p>{texts().security.passkeysLead}</p>
      {list.value === undefined ? (
        <Waiting problem={list.problem} again={list.again} />
      ) : (
        <ul class="sessions">
          {list.value.passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onRemove={() => void remove(passkey)} />
          ))}
        </ul>
      )}
      <RefusalNotice refusal={form.refusal} />
      {isAdding ? (
        <PasskeyForm onAdded={onAdded} onCancel={() => setAdding(false)} />
      ) : (
        <div class="row">
          <button type="button" class="plain" onClick={() => setAdding(true)}>
            {texts().security.addPasskey}
          </button>
        </div>
      )}
    </section>
  )
}

function PasskeyRow({ passkey, onRemove }: { readonly passkey: Passkey; onRemove(): void }) {
  const { security, never } = texts()
  const used = passkey.last_used_at === null ? never : toDate(passkey.last_used_at)
  return (
    <li>
      <p>
        <strong>{passkey.name}</strong>
      </p>
      <p class="small">
        {security.addedOn(toDate(passkey.created_at))} · {security.usedAt(used)} ·{' '}
        <button type="button" class="link" aria-label={security.removePasskey(passkey.name)} onClick={onRemove}>
          {security.remove}
        </button>
      </p>
    </li>
  )
}

function PasskeyForm({ onAdded, onCancel }: { onAdded(): Promise<void>; onCancel(): void }) {
  const [name, setName] = useState('')
  const form = useSubmission()
  const submit = (event: Event) => {
    event.preventDefault()
    void form.run(async () => {
      await addPasskey(name)
      await onAdded()
    })
  }
  return (
    <form class="stack" onSubmit={submit}>
      <Field
        label={texts().security.passkeyName}
        hint={texts().security.passkeyNameHint}
        value={name}
        onText={setName}
        input={{ required: true, maxLength: NAME_CHARACTERS, autocomplete: 'off', isFocused: true }}
      />
      <RefusalNotice refusal={form.refusal} />
      <div class="row">
        <SubmitButton isBusy={form.isBusy}>{texts().security.makePasskey}</SubmitButton>
        <button type="button" class="plain" onClick={onCancel}>
          {texts().cancel}
        </button>
      </div>
    </form>
  )
}
