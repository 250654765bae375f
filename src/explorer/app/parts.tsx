// Shared components of panels: the heading and the loading state.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './signs.tsx'

/** A panel's title and back link. The title takes focus when the panel opens. */
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

/** The loading state. */
export function Waiting({ what }: { readonly what: string }) {
  return (
    <p class="waiting" role="status">
      <span class="unseen">Loading {what}</span>
    </p>
  )
}
