// The screen that asks for a key, if there is none or it was refused.
import { useState } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import { keyRefusal } from './api-client.ts'
import { apiKey, keepKey } from './key.ts'
import { useStored } from './stored.ts'
import { CONSOLE_URL } from './told.ts'

/** The form for an API key. */
export function KeyDoor() {
  const refusal = useStored(keyRefusal)
  const [text, setText] = useState('')
  const enter = (event: Event) => {
    event.preventDefault()
    const key = text.trim()
    if (key === '') return
    keyRefusal.set(undefined)
    if (apiKey.value === key) apiKey.set(undefined)
    keepKey(key)
  }
  return (
    <section class="door">
      <h1>See a network move</h1>
      <p class="lead">Lines, live departures, vehicles and journeys, each with its API request.</p>
      {refusal !== undefined && <Notice kind="problem">{refusal}</Notice>}
      <form class="stack" onSubmit={enter}>
        <div class="field">
          <label for="key">Your API key</label>
          <input
            id="key"
            type="password"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            required
            placeholder="quai_p_…"
            value={text}
            aria-describedby="key-hint"
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <p class="hint" id="key-hint">
            The key stays in this tab and is sent only to the API. Calls made by this page cost units.
          </p>
        </div>
        <button type="submit" class="primary">
          Open the map
        </button>
      </form>
      <p class="small">
        No key yet? <a href={CONSOLE_URL}>Create one in the console</a>
      </p>
    </section>
  )
}
