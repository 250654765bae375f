// The map's buttons and its scale: zoom, and the user's own position.
import { useEffect, useState } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import { useStored } from '../../pages/app/use-stored.ts'
import { toDistance } from './formats.ts'
import type { MapView } from './map/map-view.ts'
import { Icon } from './signs.tsx'
import type { Stage } from './stage.ts'
import { texts } from './texts/texts.ts'

const LOCATE_MILLIS = 10_000
/** A position from a minute ago will do. */
const OLDEST_MILLIS = 60_000
/** The scale is at most this long. */
const SCALE_PIXELS = 110
/** How long a notice stays. */
const SAID_MILLIS = 6_000
/** Beyond this distance from its lines, a network does not serve the user. */
const FAR_DEGREES = 0.25

/** Zoom in, zoom out and "near me". */
export function MapControls({ view, stage }: { readonly view: MapView; readonly stage: Stage | undefined }) {
  const [said, setSaid] = useState('')
  const [isLocating, setLocating] = useState(false)
  useEffect(() => {
    if (said === '') return
    const timer = setTimeout(() => setSaid(''), SAID_MILLIS)
    return () => clearTimeout(timer)
  }, [said])
  const locate = () => {
    setLocating(true)
    setSaid('')
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        setLocating(false)
        if (stage !== undefined && isFar(stage, coords)) return setSaid(texts().farAway(stage.network.name))
        const geometry = { type: 'Point', coordinates: [coords.longitude, coords.latitude] }
        view.mark('me', { type: 'Feature', properties: { kind: 'me' }, geometry })
        view.goToUser(coords.longitude, coords.latitude)
      },
      ({ code, PERMISSION_DENIED }) => {
        setLocating(false)
        setSaid(code === PERMISSION_DENIED ? texts().locationDenied : texts().locationUnknown)
      },
      { timeout: LOCATE_MILLIS, maximumAge: OLDEST_MILLIS },
    )
  }
  return (
    <div class="map-controls">
      <div class="map-buttons">
        <MapButton name={texts().zoomIn} onPress={() => view.zoomBy(1)} icon="plus" />
        <MapButton name={texts().zoomOut} onPress={() => view.zoomBy(-1)} icon="minus" />
        {'geolocation' in navigator && (
          <MapButton name={texts().nearMe} isBusy={isLocating} onPress={locate} icon="locate" />
        )}
      </div>
      {said !== '' && <Notice kind="warning">{said}</Notice>}
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

function isFar({ atlas }: Stage, { longitude, latitude }: GeolocationCoordinates): boolean {
  const bounds = atlas.bounds()
  if (bounds === undefined) return false
  const [west, south, east, north] = bounds
  return (
    longitude < west - FAR_DEGREES ||
    longitude > east + FAR_DEGREES ||
    latitude < south - FAR_DEGREES ||
    latitude > north + FAR_DEGREES
  )
}

/** The map's scale: a round distance, and how long it is. */
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

/** The largest of 1, 2, 5, 10, 20, 50 … that is not above a number. */
export function roundBelow(meters: number): number {
  const power = 10 ** Math.floor(Math.log10(meters))
  const lead = meters / power
  return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1)
}
