// Computes the contrast of text that axe cannot judge because other elements are in front of or behind it. Compares the
// text color with the color behind the text. That color is blended from the backgrounds of the text's element and of
// the elements around it, out to the first opaque background.

/** Minimum contrast ratio of text (WCAG 2.2, 1.4.3). */
const LEAST_CONTRAST = 4.5

/** A script for a page in which axe is loaded. It returns the elements whose text has too little contrast. */
export const FAINT_TEXTS = `axe.run(document, { resultTypes: ['incomplete'], runOnly: ['color-contrast'] }).then(({ incomplete }) => {
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
  const paint = (colors) => {
    for (const color of ['white', ...colors]) {
      context.fillStyle = color
      context.fillRect(0, 0, 1, 1)
    }
    const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((part) =>
      part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
  }
  const isOpaque = (color) => {
    context.clearRect(0, 0, 1, 1)
    context.fillStyle = color
    context.fillRect(0, 0, 1, 1)
    return context.getImageData(0, 0, 1, 1).data[3] === 255
  }
  const contrastOf = (element) => {
    const grounds = []
    for (let each = element; each !== null && !grounds.some(isOpaque); each = each.parentElement) {
      grounds.unshift(getComputedStyle(each).backgroundColor)
    }
    const [ground, text] = [paint(grounds), paint([...grounds, getComputedStyle(element).color])]
    return Math.max(ground, text) / Math.min(ground, text)
  }
  return incomplete
    .flatMap(({ nodes }) => nodes)
    .flatMap(({ target }) => [...document.querySelectorAll(target[0])])
    .filter((element) => contrastOf(element) < ${LEAST_CONTRAST})
    .map((element) => 'faint: ' + element.outerHTML.slice(0, 120))
})`
