// The console's drawings: a line map and icons.
import type { ComponentChildren } from 'preact'
import { Drawing, SHARED_SHAPES } from '../../pages/app/signs.tsx'

/** Lines that meet at a stop, as decoration for the screens before login. */
export function LineMap() {
  return (
    <svg class="line-map" viewBox="0 0 480 640" fill="none" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      <path class="line-b" d="M110 660V482Q110 460 126 444L404 166Q420 150 442 150H500" />
      <path class="line-a" d="M-20 400H108Q130 400 146 384L354 176Q370 160 370 138V-20" />
      <path class="line-c" d="M190 660V442Q190 420 206 404L324 286Q340 270 362 270H500" />
      {STOPS.map(([x, y]) => (
        <circle key={`${x},${y}`} class="line-stop" cx={x} cy={y} r="7" />
      ))}
      <rect class="line-hub" x="203" y="304" width="94" height="32" rx="16" transform="rotate(45 250 320)" />
    </svg>
  )
}

/** Positions of the stops on the lines, in the drawing's units. */
const STOPS: readonly (readonly [x: number, y: number])[] = [
  [44, 400],
  [370, 64],
  [322, 208],
  [110, 560],
  [452, 150],
  [190, 510],
  [424, 270],
]

/** The name of an icon. */
export type IconName = keyof typeof SHAPES

/** A decorative icon next to a label. */
export function Icon({ name }: { readonly name: IconName }) {
  return <Drawing>{SHAPES[name]}</Drawing>
}

const SHAPES = {
  ...SHARED_SHAPES,
  overview: <path d="M3 16.5h14M5.5 13.5v-4M10 13.5V4M14.5 13.5V7.5" />,
  keys: (
    <>
      <circle cx="6.5" cy="13.5" r="3.5" />
      <path d="M9 11l7.5-7.5M13 7l2.5 2.5" />
    </>
  ),
  billing: <path d="M5 2.5h10v15l-2.5-1.6L10 17.5l-2.5-1.6L5 17.5zM8 7h4M8 10.5h4" />,
  activity: <path d="M2.5 10.5h3.2l2.6-6 3.6 11 2.4-5h3.2" />,
  settings: (
    <>
      <circle cx="10" cy="6.8" r="3.3" />
      <path d="M3.5 17c.8-3.4 3.4-5 6.5-5s5.7 1.6 6.5 5" />
    </>
  ),
  download: <path d="M10 3v9.5M6 9l4 4 4-4M4 17h12" />,
  elsewhere: <path d="M7 4.5H4.5v11h11V13M11 4h5v5M16 4l-7 7" />,
} satisfies Record<string, ComponentChildren>
