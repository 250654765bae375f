// The search field at the top of the panel. Choosing a stop opens its departures. Choosing a line opens the line's
// panel. Choosing an address opens the journey planner with the address as the destination.
import type { Place } from './contract.ts'
import { hrefOf, open } from './place.ts'
import { PlaceField } from './place-field.tsx'
import { lowerSheet, raiseSheet } from './sheet.tsx'
import { Icon } from './signs.tsx'
import { useStage } from './stage.ts'
import { texts } from './texts/texts.ts'

/** The search field. */
export function Search() {
  const { network } = useStage()
  if (!network.capabilities.places) return null
  const choose = (place: Place) => {
    lowerSheet()
    if (place.kind !== 'address') open(hrefOf(network.id, 'stop', { id: place.id }))
    else open(hrefOf(network.id, 'journey', { query: new URLSearchParams({ to: pointOf(place) }).toString() }))
  }
  return (
    <search class="search" onFocusIn={() => raiseSheet('full')}>
      <Icon name="search" />
      <PlaceField
        label={texts().search}
        isLabelShown={false}
        placeholder={texts().searchHint}
        text=""
        onChoose={choose}
        onChooseLine={({ id }) => {
          lowerSheet()
          open(hrefOf(network.id, 'line', { id }))
        }}
      />
    </search>
  )
}

/** The value of the `from` or `to` parameter for a place in a journey request. */
export function pointOf(place: Place): string {
  return place.kind === 'address' ? `${place.lat.toFixed(5)},${place.lon.toFixed(5)}` : place.id
}
