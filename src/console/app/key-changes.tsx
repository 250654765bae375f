// Dialogs that rename or revoke a key.

import { useState } from 'preact/hooks'
import { send } from './account-client.ts'
import type { Key } from './contract.ts'
import { Dialog, Field, RefusalNotice, SubmitButton } from './parts.tsx'
import { useSubmission } from './requests.ts'
import { texts } from './texts/texts.ts'

interface KeyChangeProps {
  readonly of: Key
  onClose(): void
  /** Called after the change, with a sentence that describes it. */
  onChanged(sentence: string): void
}

/** The dialog that renames a key. */
export function RenameKey({ of: key, onClose, onChanged }: KeyChangeProps) {
  const [name, setName] = useState(key.name)
  const form = useSubmission()
  const submit = (event: Event) => {
    event.preventDefault()
    void form.run(async () => {
      await send('PATCH', `/v1/keys/${encodeURIComponent(key.id)}`, { name })
      onChanged(texts().renamed(key.name, name.trim()))
    })
  }
  return (
    <Dialog title={texts().renameThis} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <Field
          label={texts().name}
          value={name}
          onText={setName}
          input={{ required: true, maxLength: 100, autocomplete: 'off' }}
        />
        <RefusalNotice refusal={form.refusal} />
        <div class="row">
          <SubmitButton isBusy={form.isBusy}>{texts().rename}</SubmitButton>
          <button type="button" class="plain" onClick={onClose}>
            {texts().cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/**
 * The dialog that revokes a key. The user must type the key's last four characters, so that the wrong key is not
 * revoked by mistake.
 */
export function RevokeKey({ of: key, onClose, onChanged }: KeyChangeProps) {
  const [typed, setTyped] = useState('')
  const form = useSubmission()
  const isConfirmed = typed.trim() === key.last_four
  const submit = (event: Event) => {
    event.preventDefault()
    if (!isConfirmed) return form.refuse(texts().typeExactly(key.last_four))
    void form.run(async () => {
      await send('DELETE', `/v1/keys/${encodeURIComponent(key.id)}`)
      onChanged(texts().revokedNow(key.name))
    })
  }
  return (
    <Dialog title={texts().revokeThis} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p>
          {texts().appsUsing} <strong>{key.name}</strong> (
          <code>
            {key.prefix}…{key.last_four}
          </code>
          ) {texts().stopWorking}
        </p>
        <Field
          label={texts().typeLastFour(key.last_four)}
          value={typed}
          onText={setTyped}
          input={{ required: true, autocomplete: 'off', autocapitalize: 'none', spellcheck: false, maxLength: 8 }}
        />
        <RefusalNotice refusal={form.refusal} />
        <div class="row">
          <SubmitButton isBusy={form.isBusy} kind="danger">
            {texts().revokeButton}
          </SubmitButton>
          <button type="button" class="plain" onClick={onClose}>
            {texts().cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
