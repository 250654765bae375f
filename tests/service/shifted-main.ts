// Runs the program with a clock that a test can shift while the program runs. This file replaces `Date.now` on every
// thread. The replacement adds the milliseconds stored in the file that QUAI_TEST_SHIFT names.
const shift = new Float64Array(Bun.mmap(process.env['QUAI_TEST_SHIFT'] ?? '').buffer, 0, 1)
const now = Date.now.bind(Date)
Date.now = () => now() + (shift[0] ?? 0)
await import('../../src/main.ts')

export {}
