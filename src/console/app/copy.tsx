// A string with a button that copies it.
import { useRef } from 'preact/hooks'
import { CopyButton } from '../../pages/app/copying.tsx'

/** The full string in a frame, with a copy button. */
export function CopyLine(props: { readonly text: string; readonly label: string }) {
  const line = useRef<HTMLElement>(null)
  return (
    <div class="copy-line">
      <code ref={line}>{props.text}</code>
      <CopyButton text={props.text} what={props.label} class="plain" shown={() => line.current} />
    </div>
  )
}
