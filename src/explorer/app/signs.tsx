// Line badges and icons.

import type { ComponentChildren } from 'preact'
import { Drawing, SHARED_SHAPES } from '../../pages/app/signs.tsx'
import { safeColor, textOn } from './map/colors.ts'
import { hrefOf } from './place.ts'
import { useStage } from './stage.ts'
import { texts } from './texts/texts.ts'

/**
 * A line's badge: the line's code on its color. If the line has no code, the badge shows the line's name, unless the
 * name is already next to the badge.
 */
export function LineSign({ line, hasNameBeside }: { readonly line: SignedLine; readonly hasNameBeside?: boolean }) {
  const text = line.code !== '' ? line.code : hasNameBeside === true ? '' : line.name
  return (
    <span class="line-sign" style={signColors(line)} title={line.name}>
      {text}
    </span>
  )
}

/** The properties of a line that determine its badge. */
export interface SignedLine {
  readonly code: string
  readonly name: string
  readonly color: string
  readonly text_color?: string
}

/** The colors of a line's badge. They are the feed's colors if those are valid and readable. */
export function signColors(line: Pick<SignedLine, 'color' | 'text_color'>) {
  const backgroundColor = safeColor(line.color)
  return { backgroundColor, color: textOn(backgroundColor, line.text_color) }
}

/** A line's badge that links to the line. */
export function LineLink({ line }: { readonly line: SignedLine & { readonly id: string } }) {
  const { network, atlas } = useStage()
  return (
    <a href={hrefOf(network.id, 'line', { id: line.id })} aria-label={texts().lineNamed(`${line.code} ${line.name}`)}>
      {/* The lines of a stop have no text color. */}
      <LineSign line={{ ...atlas.line(line.id), ...line }} />
    </a>
  )
}

/** The name of an icon. */
export type IconName = keyof typeof SHAPES

/** A decorative icon next to text. */
export function Icon({ name }: { readonly name: IconName }) {
  return <Drawing>{SHAPES[name]}</Drawing>
}

const SHAPES = {
  ...SHARED_SHAPES,
  search: (
    <>
      <circle cx="8.8" cy="8.8" r="5.3" />
      <path d="M12.8 12.8L17 17" />
    </>
  ),
  back: <path d="M12 4l-6 6 6 6" />,
  minus: <path d="M4 10h12" />,
  locate: (
    <>
      <circle cx="10" cy="10" r="4.5" />
      <path d="M10 2.5v3M10 14.5v3M2.5 10h3M14.5 10h3" />
    </>
  ),
  stop: (
    <>
      <circle cx="10" cy="10" r="6" />
      <circle cx="10" cy="10" r="1.5" />
    </>
  ),
  address: (
    <>
      <path d="M10 17.5s5.5-5.2 5.5-9.5a5.5 5.5 0 0 0-11 0c0 4.3 5.5 9.5 5.5 9.5z" />
      <circle cx="10" cy="8" r="1.8" />
    </>
  ),
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
  swap: <path d="M6.5 16V4M3.5 7l3-3 3 3M13.5 4v12M10.5 13l3 3 3-3" />,
  walk: (
    <>
      <circle cx="11" cy="3.6" r="1.6" />
      <path d="M8 17.5l2-5.5 2.5 2 .5 3.5M10 12l1-5-3.5 1.5L6.5 11M11 7l2 2.5 2 .5" />
    </>
  ),
  access: (
    <>
      <circle cx="9" cy="4" r="1.5" />
      <path d="M9 7v4.5h4l2 4M7 9.5a4 4 0 1 0 4.5 5" />
    </>
  ),
} satisfies Record<string, ComponentChildren>
