// A QR code, drawn as one path. It is dark on white in both the light and the dark color scheme, as cameras expect.
import { encode } from 'uqr'

/** Width of the white border in modules (the squares of the code), as the standard requires. */
const BORDER_MODULES = 4

/** A string as a QR code. */
export function QrCode(props: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(props.text, { ecc: 'M', border: BORDER_MODULES })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={props.label} shape-rendering="crispEdges">
      <path d={squares.join('')} />
    </svg>
  )
}
