// Creates a key: a form for the key's name, scopes and expiry, then the new key, which is shown only once. The screen also
// waits for the first call with the key.

import { useEffect, useId, useState } from 'preact/hooks'
import { change, read } from './account-client.ts'
import type { Key, MadeKey } from './contract.ts'
import { CopyLine } from './copy.tsx'
import { toTime } from './formats.ts'
import { Field, RefusalNotice, SubmitButton } from './parts.tsx'
import { useSubmission } from './requests.ts'
import { useLoggedIn } from './session.ts'
import { Icon } from './signs.tsx'
import { texts } from './texts/texts.ts'

const NAME_CHARACTERS = 100
const MILLIS_PER_DAY = 86_400_000
/** The lifetimes that a user can choose for a key, in days; null if the key never expires. */
const LIFETIMES = [
  { days: null, text: () => texts().lifetimeNever },
  { days: 30, text: () => texts().lifetimeDays(30) },
  { days: 90, text: () => texts().lifetimeDays(90) },
  { days: 365, text: () => texts().lifetimeYear },
] as const
const SCOPES = [
  { scope: 'transit:read', text: () => texts().readTransit },
  { scope: 'account:read', text: () => texts().readAccount },
] as const

/** The form that creates a key. `onMade` is called with the only copy of the key. */
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
    if (scopes.length === 0) return form.refuse(texts().chooseScope)
    const expires_at = lifetimeDays === null ? null : new Date(Date.now() + lifetimeDays * MILLIS_PER_DAY).toISOString()
    void form.run(async () => props.onMade(await change<MadeKey>('POST', '/v1/keys', { name, scopes, expires_at })))
  }
  return (
    <form class="stack" onSubmit={submit}>
      <Field
        label={texts().name}
        hint={texts().nameHint}
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
        <summary>{texts().scopesAndExpiry}</summary>
        <div class="stack">
          <ScopeBoxes scopes={scopes} onScopes={setScopes} />
          <LifetimeChoice days={lifetimeDays} onDays={setLifetimeDays} />
        </div>
      </details>
      <RefusalNotice refusal={form.refusal} />
      <div class="row">
        <SubmitButton isBusy={form.isBusy}>{texts().createKey}</SubmitButton>
        {props.onCancel !== undefined && (
          <button type="button" class="plain" onClick={props.onCancel}>
            {texts().cancel}
          </button>
        )}
      </div>
    </form>
  )
}

function ScopeBoxes(props: { readonly scopes: readonly string[]; onScopes(scopes: readonly string[]): void }) {
  return (
    <fieldset>
      <legend>{texts().scopes}</legend>
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
            {text()} <code>{scope}</code>
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
      <label for={id}>{texts().expires}</label>
      <select
        id={id}
        value={String(props.days)}
        onChange={(event) => {
          const { value } = event.currentTarget
          props.onDays(value === 'null' ? null : Number(value))
        }}
      >
        {LIFETIMES.map(({ days, text }) => (
          <option key={days} value={String(days)}>
            {text()}
          </option>
        ))}
      </select>
    </div>
  )
}

/** Shows a new key, and a first call to paste into a terminal. The key cannot be shown again. */
export function ShownKey(props: {
  readonly made: MadeKey
  /** Called after the first call with the new key. */
  readonly onUsed?: () => Promise<void>
  onDone(): void
}) {
  const { made } = props
  const id = useId()
  return (
    <section class="card edge shown-key" aria-labelledby={id}>
      <h2 id={id} tabIndex={-1} ref={takeFocus}>
        {texts().copyNow}
      </h2>
      <p>{texts().shownOnce(made.listing.name)}</p>
      <h3>{texts().key}</h3>
      <CopyLine text={made.key} label={texts().theKey} />
      <h3>{texts().firstCall}</h3>
      <CopyLine text={made.curl} label={texts().theFirstCall} />
      <FirstCall keyId={made.listing.id} onUsed={props.onUsed} />
      <div class="row">
        <button type="button" class="primary" onClick={props.onDone}>
          {texts().savedKey}
        </button>
        <TryOnMap apiKey={made.key} />
      </div>
    </section>
  )
}

/**
 * A link that opens the explorer with the new key in the URL's fragment, which is not sent to a server. The explorer
 * removes the fragment, and requests consent before it uses the key.
 */
function TryOnMap({ apiKey }: { readonly apiKey: string }) {
  const { explorer_url: explorer } = useLoggedIn()
  if (explorer === null) return null
  return (
    <a href={`${explorer}/#key=${apiKey}`} target="_blank" rel="noreferrer">
      {texts().tryOnMap}
    </a>
  )
}

function takeFocus(element: HTMLElement | null): void {
  element?.focus()
}

const POLL_MILLIS = 2_000
/**
 * Maximum number of requests for the state of a new key. After the last request, only the list of keys shows whether
 * the key was used.
 */
const MAX_POLLS = 300

/** Requests the state of the key every two seconds, until its first call has arrived or MAX_POLLS is reached. */
function FirstCall({ keyId, onUsed }: { readonly keyId: string; readonly onUsed: (() => Promise<void>) | undefined }) {
  const [usedAt, setUsedAt] = useState<string | undefined>(undefined)
  const [polls, setPolls] = useState(0)
  const isOver = usedAt !== undefined || polls >= MAX_POLLS
  useEffect(() => {
    if (isOver) return
    const timer = setTimeout(() => {
      void findLastUse(keyId)
        .then(setUsedAt)
        // The counter also advances after a failed request, because only a new count schedules the next request.
        .catch(() => undefined)
        .then(() => setPolls((count) => count + 1))
    }, POLL_MILLIS)
    return () => clearTimeout(timer)
  }, [keyId, polls, isOver])
  useEffect(() => {
    if (usedAt !== undefined) void onUsed?.()
  }, [usedAt])
  return (
    <p class={usedAt === undefined ? 'first-call' : 'first-call came'} role="status">
      {usedAt === undefined ? (
        texts().waitingForCall
      ) : (
        <>
          <Icon name="done" />
          {texts().itWorks(toTime(usedAt))}
        </>
      )}
    </p>
  )
}

async function findLastUse(keyId: string): Promise<string | undefined> {
  const { keys } = await read<{ keys: readonly Key[] }>('/v1/keys')
  return keys.find((key) => key.id === keyId)?.last_used_at ?? undefined
}
