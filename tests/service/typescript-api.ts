// Preloaded by the generator of clients, which prints TypeScript with the compiler's API; the native compiler of this
// repository does not have it. Programs that import `typescript` get the last version that does.
import { plugin } from 'bun'

plugin({
  name: 'typescript-api',
  setup(build) {
    build.module('typescript', async () => ({ exports: await import('typescript-api'), loader: 'object' }))
  },
})
