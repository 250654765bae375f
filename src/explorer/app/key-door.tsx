// The screen with the form for an API key. It is shown if there is no key, or if the API has refused the key.

import { useState } from 'preact/hooks'
import { LanguageSwitch } from '../../pages/app/language-switch.tsx'
import { Notice } from '../../pages/app/notice.tsx'
import { useStored } from '../../pages/app/use-stored.ts'
import { keyRefusal } from './api-client.ts'
import { apiKey, keepKey, offeredKey } from './key.ts'
import { CONSOLE_URL } from './page-addresses.ts'
import { refusalSentence } from './refusal-words.ts'
import { texts } from './texts/texts.ts'

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
      <h1>{texts().doorTitle}</h1>
      <p class="lead">{texts().doorLead}</p>
      {refusal !== undefined && <Notice kind="problem">{refusalSentence(refusal)}</Notice>}
      <form class="stack" onSubmit={enter}>
        <div class="field">
          <label for="key">{texts().keyLabel}</label>
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
            {texts().keyHint}
          </p>
        </div>
        <button type="submit" class="primary">
          {texts().openMap}
        </button>
      </form>
      <p class="small">
        {texts().noKeyYet} <a href={CONSOLE_URL}>{texts().createKey}</a>
      </p>
      <LanguageSwitch />
    </section>
  )
}

/** Asks whether to use a key from a link. Shows only the first and last characters of the key. */
export function OfferedKey({ offered }: { readonly offered: string }) {
  const decline = () => offeredKey.set(undefined)
  const accept = () => {
    decline()
    keyRefusal.set(undefined)
    keepKey(offered)
  }
  return (
    <section class="door" aria-labelledby="offered">
      <h1 id="offered">{texts().offeredTitle}</h1>
      <p>
        {texts().offeredLead}{' '}
        <code>
          {offered.slice(0, 7)}…{offered.slice(-4)}
        </code>
      </p>
      <p class="hint">{texts().keyHint}</p>
      <div class="row">
        <button type="button" class="primary" onClick={accept}>
          {texts().useKey}
        </button>
        <button type="button" class="plain" onClick={decline}>
          {texts().dontUseKey}
        </button>
      </div>
    </section>
  )
}
