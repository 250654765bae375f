// The search at the top of the panel. Choosing a stop opens its departures, choosing a line opens the line's panel, and
// choosing an address opens a journey to it.
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

/** A place as a `from` or `to` parameter of journeys. */
export function pointOf(place: Place): string {
  return place.kind === 'address' ? `${place.lat.toFixed(5)},${place.lon.toFixed(5)}` : place.id
}
