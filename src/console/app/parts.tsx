// Components that several screens use: fields, buttons, notices, dialogs.

import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import type { Refusal } from './account-client.ts'
import { refusalSentence } from './refusal-words.ts'
import { texts } from './texts/texts.ts'

/** Attributes of an input element, except its value. */
interface InputSettings {
  readonly type?: 'text'
  readonly autocomplete?: 'off' | 'username' | 'one-time-code'
  readonly autocapitalize?: 'none'
  readonly inputMode?: 'decimal' | 'email'
  readonly required?: boolean
  readonly spellcheck?: boolean
  readonly maxLength?: number
  readonly class?: string
  /** Whether the field takes focus when it appears. */
  readonly isFocused?: boolean
}

/** A labeled text field. */
export function Field(props: {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly value: string
  onText(value: string): void
  readonly input?: InputSettings
}) {
  const id = useId()
  const { isFocused = false, ...settings } = props.input ?? {}
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (isFocused) input.current?.focus()
  }, [isFocused])
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <input
        {...settings}
        ref={input}
        id={id}
        value={props.value}
        aria-describedby={props.hint === undefined ? undefined : `${id}-hint`}
        onInput={(event) => props.onText(event.currentTarget.value)}
      />
      {props.hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
    </div>
  )
}

/** A password field with a button that shows the password. */
export function PasswordField(props: {
  readonly label: string
  readonly value: string
  onText(value: string): void
  readonly isNew: boolean
}) {
  const id = useId()
  const [isShown, setShown] = useState(false)
  const input = {
    id,
    autocomplete: props.isNew ? 'new-password' : 'current-password',
    autocapitalize: 'none',
    spellcheck: false,
    required: true,
    minLength: props.isNew ? 8 : undefined,
    maxLength: 1000,
    value: props.value,
    'aria-describedby': props.isNew ? `${id}-hint` : undefined,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => props.onText(event.currentTarget.value),
  } as const
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <div class="inset">
        {isShown ? <input type="text" {...input} /> : <input type="password" {...input} />}
        <button
          type="button"
          class="quiet"
          aria-label={isShown ? texts().hidePassword : texts().showPassword}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? texts().hide : texts().show}
        </button>
      </div>
      {props.isNew && (
        <p class="hint" id={`${id}-hint`}>
          {texts().passwordHint}
        </p>
      )}
    </div>
  )
}

/** The submit button of a form. */
export function SubmitButton(props: {
  readonly isBusy: boolean
  readonly kind?: 'primary' | 'danger' | 'plain'
  readonly children: ComponentChildren
}) {
  return (
    <button class={props.kind ?? 'primary'} type="submit" aria-busy={props.isBusy}>
      {props.children}
    </button>
  )
}

/** Shows why a request failed, with the request id if there is one. */
export function RefusalNotice({ refusal }: { readonly refusal: Refusal | undefined }) {
  if (refusal === undefined) return null
  return (
    <Notice kind="problem">
      {refusalSentence(refusal)}
      {refusal.status >= 500 && refusal.requestId !== undefined && (
        <>
          {' '}
          <span class="aside">
            {texts().request} <code>{refusal.requestId}</code>
          </span>
        </>
      )}
    </Notice>
  )
}

/** One entry of a description list (`dl`). */
export function Fact(props: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  )
}

/** The empty state of a list, with the next step for the user. */
export function Empty(props: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{props.title}</p>
      <p>{props.children}</p>
    </div>
  )
}

/** A screen's title. It takes focus when the screen opens, so that screen readers start there. */
export function ScreenTitle(props: { readonly title: string; readonly children?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    document.title = `${props.title} · Quai`
    heading.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [props.title])
  return (
    <header class="screen-title">
      <h1 ref={heading} tabIndex={-1}>
        {props.title}
      </h1>
      {props.children}
    </header>
  )
}

/** Focuses the screen's title. Called when the focused element is removed. */
export function focusTitle(): void {
  document.querySelector('h1')?.focus()
}

/** A modal dialog. Escape and Cancel close it. */
export function Dialog(props: { readonly title: string; onClose(): void; readonly children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isGone = useRef(false)
  const id = useId()
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => {
      isGone.current = true
      // Closing the dialog before it is removed returns focus to the element that opened it.
      shown?.close()
    }
  }, [])
  // The browser fires the close event some time after the dialog was closed. Another dialog may be open by then, so the
  // event of a removed dialog is ignored.
  const onClose = () => {
    if (!isGone.current) props.onClose()
  }
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{props.title}</h2>
      {props.children}
    </dialog>
  )
}

/** A select box with a few values, in a card's header. */
export function Choice(props: {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, text: string])[]
  onValue(value: string): void
}) {
  const id = useId()
  return (
    <>
      <label class="unseen" for={id}>
        {props.label}
      </label>
      <select id={id} value={props.value} onChange={(event) => props.onValue(event.currentTarget.value)}>
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </>
  )
}

/** Shows that a screen's data is loading, or why it could not be loaded. */
export function Waiting(props: { readonly problem: Refusal | undefined; again(): Promise<void> }) {
  if (props.problem === undefined) return <div class="waiting" role="status" aria-label={texts().loading} />
  return (
    <Notice kind="problem">
      {refusalSentence(props.problem)}{' '}
      <button type="button" class="link" onClick={() => void props.again()}>
        {texts().tryAgain}
      </button>
    </Notice>
  )
}
