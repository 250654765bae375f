// The legend of the map's vehicles, with a switch between all lines and the chosen line.
import { useState } from 'preact/hooks'
import type { Stage } from './stage.ts'

/** The legend, in a corner of the map. */
export function Legend({ stage }: { readonly stage: Stage }) {
  const [isForAll, setForAll] = useState(stage.feed?.isForAll ?? true)
  if (stage.network.capabilities.vehicles === 'none' || stage.feed === undefined) return null
  const change = (isOn: boolean) => {
    if (stage.feed !== undefined) stage.feed.isForAll = isOn
    setForAll(isOn)
  }
  return (
    <div class="legend">
      <span class="legend-sign reported">reported</span>
      <span class="legend-sign estimated">estimated</span>
      <span class="legend-sign old">older</span>
      <label class="switch">
        <input type="checkbox" checked={isForAll} onChange={(event) => change(event.currentTarget.checked)} />
        all lines
      </label>
    </div>
  )
}
