// The field for a second-factor login code, and whether a form has to show the field.

import { Field } from './parts.tsx'
import type { Submission } from './requests.ts'
import { texts } from './texts/texts.ts'

/** The field for a second-factor login code. */
export function CodeField(props: { readonly value: string; readonly hint: string; onText(code: string): void }) {
  return (
    <Field
      label={texts().security.code}
      hint={props.hint}
      value={props.value}
      onText={props.onText}
      input={{
        autocomplete: 'one-time-code',
        autocapitalize: 'none',
        spellcheck: false,
        required: true,
        maxLength: 40,
        isFocused: true,
      }}
    />
  )
}

/** Whether the latest attempt was refused because a code is missing. */
export function needsCode({ refusal }: Submission): boolean {
  return refusal?.reason === 'factor_required'
}
