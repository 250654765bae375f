// Text to take away: copied by a button, or selected where the browser forbids that.
import { useState } from 'preact/hooks'
import { Drawing, SHARED_SHAPES } from './signs.tsx'

const SAID_MILLIS = 2_500

/** A button that copies a text, and says that it did; where the browser forbids it, it selects what shows the text. */
export function CopyButton(props: {
  readonly text: string
  /** What is copied, for who hears the button only. */
  readonly what: string
  readonly class: 'plain' | 'quiet'
  /** The element that shows the text. */
  shown(): Element | null | undefined
}) {
  const [said, setSaid] = useState<'copied' | 'selected' | undefined>(undefined)
  const copy = async () => {
    const isCopied = await toClipboard(props.text)
    const shown = props.shown()
    if (!isCopied && shown) getSelection()?.selectAllChildren(shown)
    setSaid(isCopied ? 'copied' : 'selected')
    setTimeout(() => setSaid(undefined), SAID_MILLIS)
  }
  return (
    <>
      <button type="button" class={props.class} onClick={() => void copy()}>
        <Drawing>{said === 'copied' ? SHARED_SHAPES.done : SHARED_SHAPES.copy}</Drawing>
        <span>
          {said === 'copied' ? 'Copied' : said === 'selected' ? 'Press Ctrl C' : 'Copy'}
          <span class="unseen"> {props.what}</span>
        </span>
      </button>
      <span class="unseen" role="status">
        {said === undefined ? '' : said === 'copied' ? 'Copied' : 'Selected. Press Control C to copy.'}
      </span>
    </>
  )
}

/** Whether the text could be copied: browsers allow it in secure contexts only, and may ask. */
async function toClipboard(text: string): Promise<boolean> {
  if (!('clipboard' in navigator)) return false
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )
}
