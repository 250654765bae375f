// A preload for the generator of clients, which prints TypeScript with the compiler's API. The native compiler of this
// repository has no such API, so the generator's imports of `typescript` are resolved to the last version that has the
// API.
import { plugin } from 'bun'

plugin({
  name: 'typescript-api',
  setup(build) {
    build.module('typescript', async () => ({ exports: await import('typescript-api'), loader: 'object' }))
  },
})
