// Shared drawings: the logo and icons. They use the current text color.
import type { ComponentChildren } from 'preact'

/** The logo: a stop above the edge of a platform. Together, they form a Q. */
export function Mark() {
  return (
    <svg viewBox="0 0 28 28" aria-hidden="true">
      <circle cx="12.5" cy="11.5" r="8" fill="none" stroke="currentColor" stroke-width="4" />
      <path class="mark-edge" d="M12.5 24H26" stroke-width="4" stroke-linecap="round" />
    </svg>
  )
}

/** A decorative icon next to text. */
export function Drawing({ children }: { readonly children: ComponentChildren }) {
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
      {children}
    </svg>
  )
}

/** Shapes of icons that several pages use. */
export const SHARED_SHAPES = {
  copy: (
    <>
      <rect x="7" y="7" width="10" height="10" rx="2" />
      <path d="M13 7V5a2 2 0 0 0-2-2H5a2 2 0 0 0-2 2v6a2 2 0 0 0 2 2h2" />
    </>
  ),
  done: <path d="M4 10.5l4 4 8-9" />,
  plus: <path d="M10 4v12M4 10h12" />,
  out: <path d="M12 4H5.5a1.5 1.5 0 0 0-1.5 1.5v9A1.5 1.5 0 0 0 5.5 16H12M9 10h8M14 7l3 3-3 3" />,
} satisfies Record<string, ComponentChildren>
