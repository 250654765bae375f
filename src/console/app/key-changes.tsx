// What is asked before a key is changed: its new name, or whether it is really to end.
import { useState } from 'preact/hooks'
import { send } from './account-client.ts'
import { useSubmission } from './asking.ts'
import type { Key } from './contract.ts'
import { Dialog, Field, RefusalNotice, SubmitButton } from './parts.tsx'

interface KeyChangeProps {
  readonly of: Key
  onClose(): void
  /** Gets a sentence that says what was done. */
  onChanged(sentence: string): void
}

/** Asks for a new name. */
export function RenameKey({ of: key, onClose, onChanged }: KeyChangeProps) {
  const [name, setName] = useState(key.name)
  const form = useSubmission()
  const submit = (event: Event) => {
    event.preventDefault()
    void form.run(async () => {
      await send('PATCH', `/v1/keys/${encodeURIComponent(key.id)}`, { name })
      onChanged(`“${key.name}” is now called “${name.trim()}”.`)
    })
  }
  return (
    <Dialog title="Rename this key" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <Field
          label="Name"
          value={name}
          onText={setName}
          input={{ required: true, maxLength: 100, autocomplete: 'off' }}
        />
        <RefusalNotice refusal={form.refusal} />
        <div class="row">
          <SubmitButton isBusy={form.isBusy}>Rename</SubmitButton>
          <button type="button" class="plain" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Asks for the key's last four characters, so that it is this key and no other that ends. */
export function RevokeKey({ of: key, onClose, onChanged }: KeyChangeProps) {
  const [typed, setTyped] = useState('')
  const form = useSubmission()
  const isConfirmed = typed.trim() === key.last_four
  const submit = (event: Event) => {
    event.preventDefault()
    if (!isConfirmed) return form.refuse(`Type ${key.last_four}, as it stands here.`)
    void form.run(async () => {
      await send('DELETE', `/v1/keys/${encodeURIComponent(key.id)}`)
      onChanged(`“${key.name}” is revoked. Calls with it are refused from now on.`)
    })
  }
  return (
    <Dialog title="Revoke this key" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p>
          Whatever uses <strong>{key.name}</strong> (
          <code>
            {key.prefix}…{key.last_four}
          </code>
          ) is refused at once. A revoked key never comes back.
        </p>
        <Field
          label={`Type its last four characters, ${key.last_four}, to confirm`}
          value={typed}
          onText={setTyped}
          input={{ required: true, autocomplete: 'off', autocapitalize: 'none', spellcheck: false, maxLength: 8 }}
        />
        <RefusalNotice refusal={form.refusal} />
        <div class="row">
          <SubmitButton isBusy={form.isBusy} kind="danger">
            Revoke key
          </SubmitButton>
          <button type="button" class="plain" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
