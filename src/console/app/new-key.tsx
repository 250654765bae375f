// Creates a key: a form for its name, scopes and expiry, then the key, shown once, until its first call arrives.
import { useEffect, useId, useState } from 'preact/hooks'
import { change, read } from './account-client.ts'
import { useSubmission } from './asking.ts'
import type { Key, MadeKey } from './contract.ts'
import { CopyLine } from './copy.tsx'
import { toTime } from './formats.ts'
import { Field, RefusalNotice, SubmitButton } from './parts.tsx'
import { Icon } from './signs.tsx'

const NAME_CHARACTERS = 100
const MILLIS_PER_DAY = 86_400_000
/** Choices of a key's lifetime in days. */
const LIFETIMES = [
  { days: null, text: 'Never' },
  { days: 30, text: 'In 30 days' },
  { days: 90, text: 'In 90 days' },
  { days: 365, text: 'In 1 year' },
] as const
const SCOPES = [
  { scope: 'transit:read', text: 'Read transit data: stops, lines, departures, journeys' },
  { scope: 'account:read', text: 'Read this account: its plan and usage' },
] as const

/** The form that creates a key. `onMade` gets the only copy of the key. */
export function NewKeyForm(props: {
  readonly suggestedName: string
  onMade(made: MadeKey): void
  readonly onCancel?: () => void
}) {
  const [name, setName] = useState(props.suggestedName)
  const [scopes, setScopes] = useState<readonly string[]>(['transit:read'])
  const [lifetimeDays, setLifetimeDays] = useState<number | null>(null)
  const form = useSubmission()
  const submit = (event: Event) => {
    event.preventDefault()
    if (scopes.length === 0) return form.refuse('Choose at least one scope.')
    const expires_at = lifetimeDays === null ? null : new Date(Date.now() + lifetimeDays * MILLIS_PER_DAY).toISOString()
    void form.run(async () => props.onMade(await change<MadeKey>('POST', '/v1/keys', { name, scopes, expires_at })))
  }
  return (
    <form class="stack" onSubmit={submit}>
      <Field
        label="Name"
        hint="Name the app, machine or person that will use it."
        value={name}
        onText={setName}
        input={{
          required: true,
          maxLength: NAME_CHARACTERS,
          autocomplete: 'off',
          isFocused: props.onCancel !== undefined,
        }}
      />
      <details class="more">
        <summary>Scopes and expiry</summary>
        <div class="stack">
          <ScopeBoxes scopes={scopes} onScopes={setScopes} />
          <LifetimeChoice days={lifetimeDays} onDays={setLifetimeDays} />
        </div>
      </details>
      <RefusalNotice refusal={form.refusal} />
      <div class="row">
        <SubmitButton isBusy={form.isBusy}>Create key</SubmitButton>
        {props.onCancel !== undefined && (
          <button type="button" class="plain" onClick={props.onCancel}>
            Cancel
          </button>
        )}
      </div>
    </form>
  )
}

function ScopeBoxes(props: { readonly scopes: readonly string[]; onScopes(scopes: readonly string[]): void }) {
  return (
    <fieldset>
      <legend>Scopes</legend>
      {SCOPES.map(({ scope, text }) => (
        <label class="choice" key={scope}>
          <input
            type="checkbox"
            checked={props.scopes.includes(scope)}
            onChange={(event) => {
              const others = props.scopes.filter((each) => each !== scope)
              props.onScopes(event.currentTarget.checked ? [...others, scope] : others)
            }}
          />
          <span>
            {text} <code>{scope}</code>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function LifetimeChoice(props: { readonly days: number | null; onDays(days: number | null): void }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>Expires</label>
      <select
        id={id}
        value={String(props.days)}
        onChange={(event) => {
          const { value } = event.currentTarget
          props.onDays(value === 'null' ? null : Number(value))
        }}
      >
        {LIFETIMES.map(({ days, text }) => (
          <option key={text} value={String(days)}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

/** A new key and a first call to paste. The key cannot be shown again. */
export function ShownKey(props: { readonly made: MadeKey; onDone(): void }) {
  const { made } = props
  const id = useId()
  return (
    <section class="card edge shown-key" aria-labelledby={id}>
      <h2 id={id} tabIndex={-1} ref={takeFocus}>
        Copy your key now
      </h2>
      <p>“{made.listing.name}” is ready. This is the only time its text is shown: only a fingerprint of it is kept.</p>
      <h3>Key</h3>
      <CopyLine text={made.key} label="the key" />
      <h3>First call: paste it into a terminal</h3>
      <CopyLine text={made.curl} label="the first call" />
      <FirstCall keyId={made.listing.id} />
      <div class="row">
        <button type="button" class="primary" onClick={props.onDone}>
          I’ve saved my key
        </button>
      </div>
    </section>
  )
}

function takeFocus(element: HTMLElement | null): void {
  element?.focus()
}

const POLL_MILLIS = 2_000
/** Polls at most this often; after that, see the list of keys. */
const MAX_POLLS = 300

/** Polls every two seconds for the key's first call. */
function FirstCall({ keyId }: { readonly keyId: string }) {
  const [usedAt, setUsedAt] = useState<string | undefined>(undefined)
  const [polls, setPolls] = useState(0)
  const isOver = usedAt !== undefined || polls >= MAX_POLLS
  useEffect(() => {
    if (isOver) return
    const timer = setTimeout(() => {
      void findLastUse(keyId)
        .then(setUsedAt)
        // Failed polls are repeated: the counter advances either way.
        .catch(() => undefined)
        .then(() => setPolls((count) => count + 1))
    }, POLL_MILLIS)
    return () => clearTimeout(timer)
  }, [keyId, polls, isOver])
  return (
    <p class={usedAt === undefined ? 'first-call' : 'first-call came'} role="status">
      {usedAt === undefined ? (
        'Waiting for the first call…'
      ) : (
        <>
          <Icon name="done" />
          It works: first call received at {toTime(usedAt)}.
        </>
      )}
    </p>
  )
}

async function findLastUse(keyId: string): Promise<string | undefined> {
  const { keys } = await read<{ keys: readonly Key[] }>('/v1/keys')
  return keys.find((key) => key.id === keyId)?.last_used_at ?? undefined
}
