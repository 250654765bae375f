// Components that panels share: the heading, errors and the loading state.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import type { Refusal } from './api-client.ts'
import { goBack, leftAddress } from './place.ts'
import { refusalSentence } from './refusal-words.ts'
import { Icon } from './signs.tsx'
import { texts } from './texts/texts.ts'

/** A panel's title and back link. The title takes focus when the panel opens. */
export function PanelHead(props: {
  readonly title: string
  /** Target of the back link if the browser's history has no earlier page of the explorer. */
  readonly back: string
  readonly children?: ComponentChildren
}) {
  return (
    <header class="panel-head">
      <a
        class="back"
        href={props.back}
        onClick={(event) => {
          if (goBack()) event.preventDefault()
        }}
      >
        <Icon name="back" />
        <span class="unseen">{texts().back}</span>
      </a>
      <div class="panel-title">
        <PanelTitle title={props.title} />
        {props.children}
      </div>
    </header>
  )
}

/**
 * The title of a panel, which is also the title of the page. It takes focus when the panel opens. If the user comes
 * back to the panel, the link that led away from it takes focus instead.
 */
export function PanelTitle({ title }: { readonly title: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    document.title = `${title} · Quai explorer`
    const left = leftAddress()
    const followed =
      left === '' ? null : document.querySelector<HTMLElement>(`.panel-body a[href="${CSS.escape(left)}"]`)
    const target = followed ?? heading.current
    target?.focus({ preventScroll: target === heading.current })
  }, [title])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {title}
    </h1>
  )
}

/**
 * Shows why an API call failed. Shows nothing if the API can't be reached, because another notice at the top of the
 * panel says so.
 */
export function Trouble(props: { readonly of: Refusal | undefined; readonly isMild?: boolean }) {
  if (props.of === undefined || props.of.reason === 'unreachable') return null
  return <Notice kind={props.isMild === true ? 'warning' : 'problem'}>{refusalSentence(props.of)}</Notice>
}

/** The sign that a panel is loading its data. */
export function Waiting() {
  return (
    <p class="waiting" role="status">
      <span class="unseen">{texts().loading}</span>
    </p>
  )
}
