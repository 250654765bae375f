// A sentence that stands out among others.
import type { ComponentChildren } from 'preact'

/** A sentence that stands out. A problem is said aloud at once. */
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
