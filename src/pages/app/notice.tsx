// A notice: a highlighted message.
import type { ComponentChildren } from 'preact'

/** A highlighted message. Screen readers announce problems immediately. */
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
