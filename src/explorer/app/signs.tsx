// The drawn signs: the mark, the signs of lines, and an icon for each thing that is pressed.
import type { ComponentChildren } from 'preact'
import { safeColor, textOn } from './map/colors.ts'

/** The mark: a stop over the edge of its platform, which together are a Q. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 28 28" aria-hidden="true">
      <circle cx="12.5" cy="11.5" r="8" fill="none" stroke="currentColor" stroke-width="4" />
      <path class="mark-edge" d="M12.5 24H26" stroke-width="4" stroke-linecap="round" />
    </svg>
  )
}

/** A line's sign: its code on its color. A line without a code has its name there, if that doesn't stand beside it. */
export function LineSign(props: {
  readonly code: string
  readonly name: string
  readonly color: string
  readonly hasNameBeside?: boolean
}) {
  const color = safeColor(props.color)
  const text = props.code !== '' ? props.code : props.hasNameBeside === true ? '' : props.name
  return (
    <span class="line-sign" style={{ backgroundColor: color, color: textOn(color) }} title={props.name}>
      {text}
    </span>
  )
}

/** The name of an icon. */
export type IconName = keyof typeof SHAPES

/** An icon beside a word that says the same. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {SHAPES[name]}
    </svg>
  )
}

const SHAPES = {
  search: (
    <>
      <circle cx="8.8" cy="8.8" r="5.3" />
      <path d="M12.8 12.8L17 17" />
    </>
  ),
  back: <path d="M12 4l-6 6 6 6" />,
  close: <path d="M5 5l10 10M15 5L5 15" />,
  journey: (
    <>
      <circle cx="5" cy="15.5" r="2" />
      <circle cx="15" cy="4.5" r="2" />
      <path d="M7 15.5h5.5a3 3 0 0 0 0-6h-5a3 3 0 0 1 0-5H13" />
    </>
  ),
  alert: <path d="M10 3l7.5 13.5h-15zM10 8.5v3.5M10 14.2v.3" />,
  requests: <path d="M7 6l-4 4 4 4M13 6l4 4-4 4M11 4.5l-2 11" />,
  copy: (
    <>
      <rect x="7" y="7" width="10" height="10" rx="2" />
      <path d="M13 7V5a2 2 0 0 0-2-2H5a2 2 0 0 0-2 2v6a2 2 0 0 0 2 2h2" />
    </>
  ),
  done: <path d="M4 10.5l4 4 8-9" />,
  swap: <path d="M6.5 16V4M3.5 7l3-3 3 3M13.5 4v12M10.5 13l3 3 3-3" />,
  walk: (
    <>
      <circle cx="11" cy="3.6" r="1.6" />
      <path d="M8 17.5l2-5.5 2.5 2 .5 3.5M10 12l1-5-3.5 1.5L6.5 11M11 7l2 2.5 2 .5" />
    </>
  ),
  out: <path d="M12 4H5.5a1.5 1.5 0 0 0-1.5 1.5v9A1.5 1.5 0 0 0 5.5 16H12M9 10h8M14 7l3 3-3 3" />,
  access: (
    <>
      <circle cx="9" cy="4" r="1.5" />
      <path d="M9 7v4.5h4l2 4M7 9.5a4 4 0 1 0 4.5 5" />
    </>
  ),
} satisfies Record<string, ComponentChildren>
