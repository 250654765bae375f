// On phones, the panel is a sheet over the map. The sheet has three heights. Users change the height by dragging or
// pressing the sheet's handle, or with the arrow keys.
import { useRef } from 'preact/hooks'
import { Stored } from '../../pages/app/stored.ts'
import { useStored } from '../../pages/app/use-stored.ts'
import { texts } from './texts/texts.ts'

/** A height of the sheet. */
export type SheetHeight = 'low' | 'half' | 'full'

const HEIGHTS: readonly SheetHeight[] = ['low', 'half', 'full']
/** If the handle is dragged by less than this, the drag counts as a press. */
const PRESS_PIXELS = 6
/** A drag at least this fast, in pixels per millisecond, moves the sheet to the next height. */
const FLING = 0.5

/** The current height of the sheet. It has no effect on wide screens. */
export const sheetHeight = new Stored<SheetHeight>('half')

/** Raises the sheet to at least this height. */
export function raiseSheet(least: SheetHeight): void {
  if (HEIGHTS.indexOf(sheetHeight.value) < HEIGHTS.indexOf(least)) sheetHeight.set(least)
}

/** Lowers a full-height sheet to half, so that the map is visible above it. */
export function lowerSheet(): void {
  if (sheetHeight.value === 'full') sheetHeight.set('half')
}

/** Current height of the sheet → its height after its handle is pressed. */
const NEXT: Readonly<Record<SheetHeight, SheetHeight>> = { low: 'half', half: 'full', full: 'low' }
/** The number of heights by which an arrow key raises the sheet. */
const STEPS: Readonly<Record<string, number>> = { ArrowUp: 1, ArrowDown: -1 }

interface Drag {
  readonly startY: number
  readonly startTop: number
  readonly startedAt: number
}

/** The handle at the top of the sheet. */
export function SheetHandle() {
  const height = useStored(sheetHeight)
  const drag = useRef<Drag | undefined>(undefined)
  const wasDragged = useRef(false)
  const release = (panel: HTMLElement, y: number) => {
    const held = drag.current
    drag.current = undefined
    panel.style.removeProperty('top')
    panel.classList.remove('dragged')
    if (held === undefined || !wasDragged.current) return
    const moved = y - held.startY
    const speed = moved / Math.max(1, performance.now() - held.startedAt)
    if (Math.abs(speed) > FLING) step(height, Math.sign(-speed))
    else sheetHeight.set(nearestHeight(held.startTop + moved))
  }
  return (
    <button
      type="button"
      class="sheet-handle"
      aria-label={`${texts().panelHeight}: ${texts().panelHeights[height]}`}
      onClick={() => {
        if (!wasDragged.current) sheetHeight.set(NEXT[height])
        wasDragged.current = false
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        const startTop = panelOf(event.currentTarget).getBoundingClientRect().top
        wasDragged.current = false
        drag.current = { startY: event.clientY, startTop, startedAt: performance.now() }
      }}
      onPointerMove={(event) => {
        const held = drag.current
        if (held === undefined || Math.abs(event.clientY - held.startY) <= PRESS_PIXELS) return
        const panel = panelOf(event.currentTarget)
        wasDragged.current = true
        panel.classList.add('dragged')
        panel.style.top = `${Math.max(0, held.startTop + event.clientY - held.startY)}px`
      }}
      onPointerUp={(event) => release(panelOf(event.currentTarget), event.clientY)}
      onPointerCancel={(event) => release(panelOf(event.currentTarget), event.clientY)}
      onKeyDown={(event) => {
        const by = STEPS[event.key]
        if (by === undefined) return
        step(height, by)
        event.preventDefault()
      }}
    />
  )
}

function step(height: SheetHeight, by: number): void {
  sheetHeight.set(HEIGHTS[HEIGHTS.indexOf(height) + by] ?? height)
}

function panelOf(handle: HTMLElement): HTMLElement {
  return handle.closest<HTMLElement>('.panel') ?? handle
}

/**
 * The sheet height whose upper edge is nearest to `top`, which is in pixels. The edges are at fixed fractions of the
 * screen, as in panel.css.
 */
function nearestHeight(top: number): SheetHeight {
  const share = top / innerHeight
  return share < 0.25 ? 'full' : share < 0.65 ? 'half' : 'low'
}
