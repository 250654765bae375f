// Draws the images of vehicles. An image is a disc in the line's color, with a tip in the direction of travel. Reported
// vehicles are filled discs, estimated vehicles are rings, and scheduled vehicles are dashed rings without a tip. Each
// image is drawn once. The signs in the legend look similar, but are drawn by map.css.

/** The properties of a vehicle that determine its sprite. */
export interface SpriteKind {
  readonly color: string
  /** Degrees clockwise from north; NaN or null if unknown. */
  readonly bearing: number | null
  readonly source: string
  readonly size: 'dot' | 'usual' | 'large'
  readonly isDark: boolean
}

/** An image, and half its width in CSS pixels. */
export interface Sprite {
  readonly image: ImageBitmap
  readonly half: number
}

const BEARINGS = 48
const RADIUS = { dot: 3.2, usual: 6.2, large: 8.2 }

/** Caches sprites: one for each SpriteKind in use, with the bearing rounded. */
export class VehicleSprites {
  private readonly sprites = new Map<string, Sprite>()

  take(kind: SpriteKind): Sprite {
    const hasBearing = kind.bearing !== null && !Number.isNaN(kind.bearing)
    const bearing = hasBearing ? Math.round(((kind.bearing ?? 0) / 360) * BEARINGS) % BEARINGS : -1
    const key = `${kind.color} ${bearing} ${kind.source} ${kind.size} ${kind.isDark}`
    let sprite = this.sprites.get(key)
    if (sprite === undefined) {
      sprite = drawSprite(kind, bearing)
      this.sprites.set(key, sprite)
    }
    return sprite
  }
}

function drawSprite({ color, source, size, isDark }: SpriteKind, bearing: number): Sprite {
  const radius = RADIUS[size]
  const half = Math.ceil(radius * 2 + 3)
  const ratio = Math.max(1, devicePixelRatio)
  const side = Math.ceil(half * 2 * ratio)
  const canvas = new OffscreenCanvas(side, side)
  const context = canvas.getContext('2d')
  if (context === null) return { image: canvas.transferToImageBitmap(), half }
  const ground = isDark ? '#0d1413' : '#ffffff'
  context.scale(ratio, ratio)
  context.translate(half, half)
  if (bearing >= 0 && source !== 'scheduled') {
    context.save()
    context.rotate((bearing / BEARINGS) * 2 * Math.PI)
    context.beginPath()
    context.moveTo(-radius * 0.72, -radius * 0.8)
    context.lineTo(0, -radius * 1.85)
    context.lineTo(radius * 0.72, -radius * 0.8)
    context.closePath()
    context.lineJoin = 'round'
    context.lineWidth = 2.4
    context.strokeStyle = ground
    context.stroke()
    context.fillStyle = color
    context.fill()
    context.restore()
  }
  context.beginPath()
  context.arc(0, 0, radius + 1.3, 0, 2 * Math.PI)
  context.fillStyle = ground
  context.fill()
  const isReported = source === 'gps'
  context.beginPath()
  context.arc(0, 0, isReported ? radius : radius - 1.1, 0, 2 * Math.PI)
  context.fillStyle = color
  context.strokeStyle = color
  context.lineWidth = 2.4
  if (source === 'scheduled') context.setLineDash([radius * 0.62, radius * 0.42])
  if (isReported) context.fill()
  else context.stroke()
  // The result is a bitmap, because bitmaps can be drawn much faster than canvases.
  return { image: canvas.transferToImageBitmap(), half }
}
