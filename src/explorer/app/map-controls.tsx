// The map's scale bar, and the buttons that zoom the map or find stops near the user.
import { useStored } from '../../pages/app/use-stored.ts'
import { toDistance } from './formats.ts'
import type { MapView } from './map/map-view.ts'
import { locate, locating } from './near-me.ts'
import { Icon } from './signs.tsx'
import type { Stage } from './stage.ts'
import { texts } from './texts/texts.ts'

/** Maximum length of the scale bar. */
const SCALE_PIXELS = 110

/** The "zoom in", "zoom out" and "near me" buttons. */
export function MapControls({ view, stage }: { readonly view: MapView; readonly stage: Stage | undefined }) {
  const isBusy = useStored(locating) === 'busy'
  return (
    <div class="map-controls">
      <div class="map-buttons">
        <MapButton name={texts().zoomIn} onPress={() => view.zoomBy(1)} icon="plus" />
        <MapButton name={texts().zoomOut} onPress={() => view.zoomBy(-1)} icon="minus" />
        {stage !== undefined && (
          <MapButton name={texts().nearMe} isBusy={isBusy} onPress={() => locate(stage)} icon="locate" />
        )}
      </div>
    </div>
  )
}

function MapButton(props: {
  readonly name: string
  readonly isBusy?: boolean
  readonly icon: 'plus' | 'minus' | 'locate'
  onPress(): void
}) {
  return (
    <button type="button" title={props.name} aria-label={props.name} aria-busy={props.isBusy} onClick={props.onPress}>
      <Icon name={props.icon} />
    </button>
  )
}

/** The map's scale bar: a round distance, and a bar that is as long as this distance on the map. */
export function ScaleBar({ view }: { readonly view: MapView }) {
  const metersPerPixel = useStored(view.metersPerPixel)
  const meters = roundBelow(metersPerPixel * SCALE_PIXELS)
  return (
    <p class="scale" style={{ width: `${Math.round(meters / metersPerPixel)}px` }}>
      <span class="unseen">{texts().scale(toDistance(meters))}</span>
      <span aria-hidden="true">{toDistance(meters)}</span>
    </p>
  )
}

/** The largest number in the series 1, 2, 5, 10, 20, 50 … that is not greater than `meters`. */
export function roundBelow(meters: number): number {
  const power = 10 ** Math.floor(Math.log10(meters))
  const lead = meters / power
  return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1)
}
