// A text in a frame, to take away.
import { useRef } from 'preact/hooks'
import { CopyButton } from '../../pages/app/copying.tsx'

/** A text in a frame, whole, with a button that copies it. */
export function CopyLine(props: { readonly text: string; readonly label: string }) {
  const line = useRef<HTMLElement>(null)
  return (
    <div class="copy-line">
      <code ref={line}>{props.text}</code>
      <CopyButton text={props.text} what={props.label} class="plain" shown={() => line.current} />
    </div>
  )
}
