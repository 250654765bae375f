// The request drawer. It lists every API call that the page made, with its URL, curl command, headers, units and JSON.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { CopyButton } from '../../pages/app/copying.tsx'
import { toNumber } from '../../pages/app/language.ts'
import { useStored } from '../../pages/app/use-stored.ts'
import { unitsLeft } from './api-client.ts'
import { type Call, calls, KEPT_BODY, KEPT_CALLS, toCurl, unitsSpent } from './calls.ts'
import { toAge } from './formats.ts'
import { API_URL } from './page-addresses.ts'
import { Icon } from './signs.tsx'
import { texts } from './texts/texts.ts'

/** The open drawer. It takes focus. When it closes, focus returns to the button that opened it. */
export function RequestDrawer({ onClose }: { onClose(): void }) {
  const list = useStored(calls)
  const spent = useStored(unitsSpent)
  const left = useStored(unitsLeft)
  const [chosen, setChosen] = useState<number | undefined>(undefined)
  const [isWhole, setWhole] = useState(false)
  const polled = list.filter((each) => each.isPolled).length
  const heading = useRef<HTMLHeadingElement>(null)
  // This is a layout effect, because it must run before other code moves the focus.
  useLayoutEffect(() => {
    const opener = document.activeElement
    heading.current?.focus()
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  const call = list.find((each) => each.id === chosen)
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
  }
  return (
    <aside class="drawer" aria-labelledby="drawer-title" onKeyDown={onKey}>
      <header class="drawer-head">
        <h2 id="drawer-title" ref={heading} tabIndex={-1}>
          {texts().requests}
        </h2>
        <p class="small">
          {texts().unitsSpent(spent)}
          {left !== undefined && `, ${texts().unitsLeft(toNumber(left))}`}
        </p>
        <button type="button" class="quiet" onClick={onClose}>
          <Icon name="close" />
          <span class="unseen">{texts().closeRequests}</span>
        </button>
      </header>
      <label class="switch drawer-switch">
        <input type="checkbox" checked={isWhole} onChange={(event) => setWhole(event.currentTarget.checked)} />
        <span>
          {texts().showPolls(toNumber(polled))} <span class="small">({texts().pollsAre})</span>
        </span>
      </label>
      <div class={call === undefined ? 'drawer-body' : 'drawer-body split'}>
        <ol class="calls">
          {(isWhole ? list : list.filter((each) => !each.isPolled)).map((each) => (
            <CallRow
              key={each.id}
              call={each}
              isChosen={each.id === chosen}
              onChoose={() => setChosen(each.id === chosen ? undefined : each.id)}
            />
          ))}
          <li class="small calls-end">{texts().callsKept(toNumber(KEPT_CALLS))}</li>
        </ol>
        {call !== undefined && <CallDetail call={call} />}
      </div>
    </aside>
  )
}

function CallRow(props: { readonly call: Call; readonly isChosen: boolean; onChoose(): void }) {
  const { call } = props
  const isBad = call.status !== undefined && (call.status === 0 || call.status >= 400)
  return (
    <li>
      <button type="button" class="call" aria-pressed={props.isChosen} onClick={props.onChoose}>
        <span class={isBad ? 'call-status bad' : 'call-status'}>
          {call.status === undefined ? '…' : call.status || texts().none}
        </span>
        <code class="cut">{call.url.slice(API_URL.length)}</code>
        <span class="small call-facts">
          {texts().purposes[call.purpose]} · {texts().unitCount(call.units)}
          {call.millis !== undefined && ` · ${Math.round(call.millis)} ms`}
          {call.isStream && ` · ${texts().eventCount(call.events)}, ${call.isOpen ? texts().open : texts().ended}`}
        </span>
      </button>
    </li>
  )
}

function CallDetail({ call }: { readonly call: Call }) {
  const curl = toCurl(call)
  const json = pretty(call.body)
  return (
    <section class="call-detail" aria-label={texts().request}>
      <Block id="call-url" title="URL" text={call.url} />
      <Block id="call-curl" title="curl" text={curl} />
      <p class="small">
        <code>$KEY</code> {texts().keyVariable} {texts().unitCount(call.units)},{' '}
        {texts().sentAgo(toAge((Date.now() - call.startedAt) / 1_000))}
      </p>
      {call.headers.length > 0 && (
        <Block
          id="call-headers"
          title={texts().headers}
          text={call.headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
        />
      )}
      {call.body !== '' && <Block id="call-json" title={call.isStream ? texts().latestEvent : 'JSON'} text={json} />}
      {call.body.length >= KEPT_BODY && <p class="small">{texts().cutOff}</p>}
    </section>
  )
}

function Block(props: { readonly id: string; readonly title: string; readonly text: string }) {
  return (
    <div class="block">
      <div class="block-head">
        <h3>{props.title}</h3>
        <CopyButton
          text={props.text}
          what={props.title}
          class="quiet"
          shown={() => document.getElementById(props.id)}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access. */}
      <pre id={props.id} tabIndex={0}>
        {props.text}
      </pre>
    </div>
  )
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
