// The component for highlighted messages.
import type { ComponentChildren } from 'preact'

/** A highlighted message. Screen readers announce it immediately if it is a problem. */
export function Notice(props: {
  readonly kind: 'info' | 'good' | 'warning' | 'problem'
  readonly children: ComponentChildren
}) {
  return (
    <div class={`notice ${props.kind}`} role={props.kind === 'problem' ? 'alert' : 'status'}>
      {props.children}
    </div>
  )
}
