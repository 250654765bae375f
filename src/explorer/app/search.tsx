// The search at the top of the panel: a stop opens its departures, an address opens a journey to it.
import type { Place } from './contract.ts'
import { hrefOf, open } from './place.ts'
import { PlaceField } from './place-field.tsx'
import { Icon } from './signs.tsx'
import { useStage } from './stage.ts'

/** The search field. */
export function Search() {
  const { network } = useStage()
  if (!network.capabilities.places) return null
  const choose = (place: Place) => {
    if (place.kind !== 'address') open(hrefOf(network.id, 'stop', { id: place.id }))
    else open(hrefOf(network.id, 'journey', { query: new URLSearchParams({ to: pointOf(place) }).toString() }))
  }
  return (
    <search class="search">
      <Icon name="search" />
      <PlaceField
        label="Search"
        isLabelShown={false}
        placeholder="Search stops and addresses"
        text=""
        onChoose={choose}
      />
    </search>
  )
}

/** A place as a `from` or `to` parameter of journeys. */
export function pointOf(place: Place): string {
  return place.kind === 'address' ? `${place.lat.toFixed(5)},${place.lon.toFixed(5)}` : place.id
}
