// `bun bench/first-view.ts ADDRESS [API port] [runs] [console port]` measures how soon the explorer and the console can
// be used on a slow connection. ADDRESS is the address that `quai demo` prints. Chromium loads it with an empty cache
// over 1.6 Mbit/s with a round trip of 150 ms. The list of lines counts as usable once a tap on its first row opens the
// line. The map counts as usable once half of the pixels that differ between the first and the last screenshot are
// final. The console counts as usable once an email address can be typed into the login form.
import { cpus } from 'node:os'
import { type CDPSession, chromium } from 'playwright-core'
import { showFigure } from './figures.ts'
import { SlowPorts } from './slow-line.ts'

const [address = '', apiPort = '8080', runs = '5', consolePort = ''] = process.argv.slice(2)
const LINE = { bytesPerSecond: 1_600_000 / 8, roundTripMillis: 150 }
const FIRST_ROW_BAR_MILLIS = 2_000
const HALF_BAR_MILLIS = 5_000
const CONSOLE_BAR_MILLIS = 1_500
/** The screenshot at this time counts as the final one. */
const END_MILLIS = 15_000
const WINDOWS = [
  { width: 390, height: 844 },
  { width: 1280, height: 820 },
]

interface Window {
  readonly width: number
  readonly height: number
}

interface Frame {
  readonly atMillis: number
  /** The PNG image in base64. */
  readonly data: string
}

/** A request, with its start time and the time at which the last byte of its response arrived. */
interface Loaded {
  readonly path: string
  startMillis: number
  endMillis: number
  bytes: number
}

async function measure(window: Window): Promise<void> {
  const rows: number[] = []
  const halves: number[] = []
  for (let run = 0; run < Number(runs); run++) {
    rows.push(await timeFirstRow(window))
    const { halfMillis, loaded } = await timePicture(window)
    halves.push(halfMillis)
    if (run === 0) showLoaded(loaded)
  }
  show('the first row reacts to a tap', window, { values: rows, bar: FIRST_ROW_BAR_MILLIS })
  show('half of the final picture is drawn', window, { values: halves, bar: HALF_BAR_MILLIS })
  if (consolePort === '') return
  const logIns: number[] = []
  for (let run = 0; run < Number(runs); run++) logIns.push(await timeConsole(window))
  show('the console accepts an email address', window, { values: logIns, bar: CONSOLE_BAR_MILLIS })
}

/** Prints all measured values, and their median with its limit. */
function show(
  what: string,
  window: Window,
  { values, bar }: { readonly values: number[]; readonly bar: number },
): void {
  const name = `${what}, ${window.width} pixels wide`
  console.log(`${name}: ${values.map(Math.round).join(', ')} ms`)
  const middle = values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN
  showFigure({ name: `${name}, median of ${runs}`, value: middle, unit: 'ms', atMost: bar })
}

async function openPage(viewport: Window) {
  await slow.untilFree()
  const context = await browser.newContext({ viewport, colorScheme: 'light', reducedMotion: 'reduce' })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  return { page, session, close: () => context.close() }
}

/** Waits until a tap on the first line in the list opens the panel of that line. Returns the time until the tap. */
async function timeFirstRow(window: Window): Promise<number> {
  const { page, close } = await openPage(window)
  const started = performance.now()
  await page.goto(address, { waitUntil: 'commit' })
  await page.locator('.lines a').first().click({ noWaitAfter: true })
  const millis = performance.now() - started
  await page.waitForFunction(`location.hash.includes('/line/')`)
  await close()
  return millis
}

/** Waits until an email address can be typed into the login form. Returns the time that this took. */
async function timeConsole(window: Window): Promise<number> {
  const { page, close } = await openPage(window)
  const started = performance.now()
  await page.goto(`http://localhost:${consolePort}/console`, { waitUntil: 'commit' })
  await page.locator('input[autocomplete="username"]').fill('me@example.org')
  const millis = performance.now() - started
  await close()
  return millis
}

/**
 * Takes a screenshot of the page at each change. Finds the first screenshot in which half of the changing pixels are
 * final.
 */
async function timePicture(window: Window): Promise<{ halfMillis: number; loaded: readonly Loaded[] }> {
  const { page, session, close } = await openPage(window)
  const frames: Frame[] = []
  const started = performance.now()
  const loaded = watchLoading(session, started)
  session.on('Page.screencastFrame', ({ data, sessionId }) => {
    frames.push({ atMillis: performance.now() - started, data })
    void session.send('Page.screencastFrameAck', { sessionId })
  })
  await page.goto(address, { waitUntil: 'domcontentloaded' })
  await session.send('Page.startScreencast', { format: 'png' })
  await page.waitForTimeout(END_MILLIS - (performance.now() - started))
  await session.send('Page.stopScreencast')
  await close()
  const shares = await shareOfLast(frames.map(({ data }) => data))
  const at = shares.findIndex((share) => share >= 0.5)
  const halfMillis = frames[at]?.atMillis
  if (halfMillis === undefined) throw new Error('no picture shows half of the last one')
  return { halfMillis, loaded: [...loaded.values()] }
}

function watchLoading(session: CDPSession, started: number): Map<string, Loaded> {
  const loaded = new Map<string, Loaded>()
  const now = () => performance.now() - started
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    loaded.set(requestId, { path: request.url, startMillis: now(), endMillis: 0, bytes: 0 })
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const one = loaded.get(requestId)
    if (one !== undefined) Object.assign(one, { endMillis: now(), bytes: encodedDataLength })
  })
  return loaded
}

/** For each screenshot, the share of final pixels among those that differ between the first and the last screenshot. */
async function shareOfLast(pictures: readonly string[]): Promise<number[]> {
  const page = await browser.newPage()
  await page.setContent('<canvas></canvas>')
  const shares = await page.evaluate<number[]>(`(${COMPARE})(${JSON.stringify(pictures)})`)
  await page.close()
  return shares
}

/** A script that runs in a page. From screenshots in base64, it computes the shares that `shareOfLast` returns. */
const COMPARE = `async (pictures) => {
  const pixelsOf = async (data) => {
    const image = new Image()
    image.src = 'data:image/png;base64,' + data
    await image.decode()
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d', { willReadFrequently: true })
    context.drawImage(image, 0, 0)
    return context.getImageData(0, 0, image.width, image.height).data
  }
  const isNear = (one, other, at) => [0, 1, 2].every((color) => Math.abs(one[at + color] - other[at + color]) < 24)
  const first = await pixelsOf(pictures[0])
  const last = await pixelsOf(pictures.at(-1))
  const drawn = []
  for (let at = 0; at < last.length; at += 4) if (!isNear(first, last, at)) drawn.push(at)
  const shares = []
  for (const picture of pictures) {
    const pixels = await pixelsOf(picture)
    const same = pixels.length === last.length ? drawn.filter((at) => isNear(pixels, last, at)).length : 0
    shares.push(same / Math.max(1, drawn.length))
  }
  return shares
}`

function showLoaded(loaded: readonly Loaded[]): void {
  for (const { path, startMillis, endMillis, bytes } of loaded) {
    const name = path.replace(/^https?:\/\/[^/]+/, '').slice(0, 70)
    console.log(
      `${String(Math.round(startMillis)).padStart(6)} – ${String(Math.round(endMillis)).padStart(5)} ms ${String(bytes).padStart(7)} B  ${name}`,
    )
  }
}

const slow = new SlowPorts(LINE)
const explorerPort = Number(new URL(address).port)
const ports = await Promise.all(
  [explorerPort, Number(apiPort), ...(consolePort === '' ? [] : [Number(consolePort)])].map(
    async (port) => [port, await slow.open(port)] as const,
  ),
)
const browser = await chromium.launch({
  executablePath: process.env['QUAI_CHROMIUM'] ?? '/usr/bin/chromium',
  args: [
    `--host-resolver-rules=${ports.map(([port, slowPort]) => `MAP localhost:${port} 127.0.0.1:${slowPort}`).join()}`,
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ],
})
console.log(`${cpus()[0]?.model}, Chromium ${browser.version()}`)
try {
  for (const window of WINDOWS) await measure(window)
} finally {
  await browser.close()
  slow.close()
}
