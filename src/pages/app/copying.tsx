// Copies text to the clipboard, or selects it if the browser does not allow copying.
import { useState } from 'preact/hooks'
import { sharedTexts } from './shared-texts.ts'
import { Drawing, SHARED_SHAPES } from './signs.tsx'

const OUTCOME_MILLIS = 2_500

/**
 * A button that copies text and then confirms that it was copied. If the browser does not allow copying, the button
 * selects the text.
 */
export function CopyButton(props: {
  readonly text: string
  /** Describes the text for screen readers. */
  readonly what: string
  readonly class: 'plain' | 'quiet'
  /** Returns the element that shows the text, so that the text can be selected. */
  shown(): Element | null | undefined
}) {
  const words = sharedTexts()
  const [outcome, setOutcome] = useState<'copied' | 'selected' | undefined>(undefined)
  const copy = async () => {
    const isCopied = await toClipboard(props.text)
    const shown = props.shown()
    if (!isCopied && shown) getSelection()?.selectAllChildren(shown)
    setOutcome(isCopied ? 'copied' : 'selected')
    setTimeout(() => setOutcome(undefined), OUTCOME_MILLIS)
  }
  return (
    <>
      <button type="button" class={props.class} onClick={() => void copy()}>
        <Drawing>{outcome === 'copied' ? SHARED_SHAPES.done : SHARED_SHAPES.copy}</Drawing>
        <span>
          {outcome === 'copied' ? words.copied : outcome === 'selected' ? words.pressCopy : words.copy}
          <span class="unseen"> {props.what}</span>
        </span>
      </button>
      <span class="unseen" role="status">
        {outcome === undefined ? '' : outcome === 'copied' ? words.copied : words.selected}
      </span>
    </>
  )
}

/**
 * Copies text to the clipboard. Returns whether that worked: browsers allow it only in secure contexts, and may prompt
 * the user.
 */
async function toClipboard(text: string): Promise<boolean> {
  if (!('clipboard' in navigator)) return false
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )
}
