// Draws images of vehicles. An image is a disc in the color of the line, with a tip in the direction of travel.
// Reported vehicles are filled, estimated vehicles are rings, scheduled vehicles are dashed rings. Each image is drawn
// once. The legend shows the same images.

/** The properties of a vehicle that its sprite shows. */
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

/** Caches sprites by kind: one for each color, bearing and source in use. */
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
  // Bitmaps draw much faster than canvases.
  return { image: canvas.transferToImageBitmap(), half }
}
