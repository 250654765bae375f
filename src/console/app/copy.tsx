// Text to take away: shown whole, copied by a button.
import { useRef, useState } from 'preact/hooks'
import { Icon } from './signs.tsx'

const SAID_MILLIS = 2_500

/** A text in a frame, whole, with a button that copies it. Where the browser forbids that, it is selected instead. */
export function CopyLine(props: { readonly text: string; readonly label: string }) {
  const line = useRef<HTMLElement>(null)
  const [said, setSaid] = useState<'copied' | 'selected' | undefined>(undefined)
  const copy = async () => {
    const isCopied = await toClipboard(props.text)
    if (!isCopied) getSelection()?.selectAllChildren(line.current ?? document.body)
    setSaid(isCopied ? 'copied' : 'selected')
    setTimeout(() => setSaid(undefined), SAID_MILLIS)
  }
  return (
    <div class="copy-line">
      <code ref={line}>{props.text}</code>
      <button type="button" class="plain" onClick={() => void copy()}>
        <Icon name={said === 'copied' ? 'done' : 'copy'} />
        <span>
          {said === 'copied' ? 'Copied' : said === 'selected' ? 'Press Ctrl C' : 'Copy'}
          <span class="unseen"> {props.label}</span>
        </span>
      </button>
      <span class="unseen" role="status">
        {said === undefined ? '' : said === 'copied' ? 'Copied' : 'Selected. Press Control C to copy.'}
      </span>
    </div>
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
