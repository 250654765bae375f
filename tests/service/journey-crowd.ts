// A process that keeps a number of journey requests in flight until it receives SIGTERM, and then reports their
// statuses and durations as JSON. It is a separate process, so that its work does not slow down the clients whose
// waiting times are measured.
const [base = '', key = '', inFlight = '0'] = process.argv.slice(2)
const statuses: Record<string, number> = {}
const millis: number[] = []
let isRunning = true
let next = 0

process.on('SIGTERM', () => {
  const sorted = millis.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)
  isRunning = false
  process.stdout.write(JSON.stringify({ statuses, p50Millis: at(0.5), p99Millis: at(0.99) }))
  process.exit(0)
})

async function ask(paths: readonly string[]): Promise<void> {
  while (isRunning) {
    const started = performance.now()
    const path = paths[next++ % paths.length] ?? ''
    const answer = await fetch(base + path, { headers: { authorization: `Bearer ${key}` } })
    await answer.arrayBuffer()
    millis.push(performance.now() - started)
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
  }
}

void Bun.stdin.text().then((text) => {
  for (let reader = 0; reader < Number(inFlight); reader++) void ask(text.split('\n'))
})
