// Preloaded by the generator of clients: it prints TypeScript by the compiler's own interface, which the native compiler
// of this repository has not. Programs that import `typescript` get the last one that has it.
import { plugin } from 'bun'

plugin({
  name: 'typescript-api',
  setup(build) {
    build.module('typescript', async () => ({ exports: await import('typescript-api'), loader: 'object' }))
  },
})
