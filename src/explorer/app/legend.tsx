// The legend for the vehicles on the map, with a switch between the vehicles of all lines and those of the chosen line.
import { useState } from 'preact/hooks'
import { Stored } from '../../pages/app/stored.ts'
import { useStored } from '../../pages/app/use-stored.ts'
import type { Stage } from './stage.ts'
import { texts } from './texts/texts.ts'
import type { VehicleNews } from './vehicle-feed.ts'

const NO_NEWS = new Stored<VehicleNews>({ answers: 0, problem: undefined })

/** The legend, in a corner of the map. It has an entry for vehicles at scheduled positions only if there are any. */
export function Legend({ stage }: { readonly stage: Stage }) {
  const { feed, view, network } = stage
  const [isForAll, setForAll] = useState(feed?.isForAll ?? true)
  useStored(feed?.news ?? NO_NEWS)
  if (network.capabilities.vehicles === 'none' || feed === undefined) return null
  const hasScheduled = view?.vehicles.hasSource('scheduled') === true
  const change = (isOn: boolean) => {
    feed.isForAll = isOn
    setForAll(isOn)
  }
  return (
    <div class="legend">
      <span class="legend-sign reported">{texts().sources.gps}</span>
      <span class="legend-sign estimated">{texts().sources.interpolated}</span>
      {hasScheduled && <span class="legend-sign scheduled">{texts().sources.scheduled}</span>}
      <span class="legend-sign old">{texts().older}</span>
      <label class="switch">
        <input type="checkbox" checked={isForAll} onChange={(event) => change(event.currentTarget.checked)} />
        {texts().allLines}
      </label>
    </div>
  )
}
