// The program as a storm runs it: with a clock that can be set while it runs, and data threads that can be killed.
// Otherwise, it is src/main.ts, unchanged.
const shift = new Float64Array(Bun.mmap(process.env['QUAI_TEST_SHIFT'] ?? '').buffer, 0, 1)
const now = Date.now.bind(Date)
Date.now = () => now() + (shift[0] ?? 0)
await import('../service/mortal-service.ts')

export {}
