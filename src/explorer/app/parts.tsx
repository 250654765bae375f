// The parts that panels are put together from: notices, headings, what is shown while something is awaited, copying.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from './signs.tsx'

const SAID_MILLIS = 2_000

/** A sentence that stands out. A problem is said aloud at once. */
export function Notice(props: { readonly kind: 'info' | 'warning' | 'problem'; readonly children: ComponentChildren }) {
  return (
    <div class={`notice ${props.kind}`} role={props.kind === 'problem' ? 'alert' : 'status'}>
      {props.children}
    </div>
  )
}

/** A panel's head: where one is, and the way back. It takes the focus when the panel opens. */
export function PanelHead(props: {
  readonly title: string
  readonly back: string
  readonly backName: string
  readonly children?: ComponentChildren
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    document.title = `${props.title} · Quai explorer`
    heading.current?.focus({ preventScroll: true })
  }, [props.title])
  return (
    <header class="panel-head">
      <a class="back" href={props.back}>
        <Icon name="back" />
        <span class="unseen">Back to {props.backName}</span>
      </a>
      <div class="panel-title">
        <h1 ref={heading} tabIndex={-1}>
          {props.title}
        </h1>
        {props.children}
      </div>
    </header>
  )
}

/** What is shown until there is something. */
export function Waiting({ what }: { readonly what: string }) {
  return (
    <p class="waiting" role="status">
      <span class="unseen">Loading {what}</span>
    </p>
  )
}

/** A button that copies a text, or selects the element of an id where the browser forbids it. */
export function CopyButton(props: { readonly text: string; readonly what: string; readonly from: string }) {
  const [said, setSaid] = useState<'copied' | 'selected' | undefined>(undefined)
  const copy = async () => {
    const isCopied = await toClipboard(props.text)
    const shown = document.getElementById(props.from)
    if (!isCopied && shown !== null) getSelection()?.selectAllChildren(shown)
    setSaid(isCopied ? 'copied' : 'selected')
    setTimeout(() => setSaid(undefined), SAID_MILLIS)
  }
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      <Icon name={said === 'copied' ? 'done' : 'copy'} />
      <span>
        {said === 'copied' ? 'Copied' : said === 'selected' ? 'Press Ctrl C' : 'Copy'}
        <span class="unseen"> {props.what}</span>
      </span>
    </button>
  )
}

async function toClipboard(text: string): Promise<boolean> {
  if (!('clipboard' in navigator)) return false
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )
}
