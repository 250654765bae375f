// A preload for the client generator, which uses the compiler's API to print TypeScript. This repository's native
// compiler has no such API, so the generator's imports of `typescript` are resolved to the last version that has it.
import { plugin } from 'bun'

plugin({
  name: 'typescript-api',
  setup(build) {
    build.module('typescript', async () => ({ exports: await import('typescript-api'), loader: 'object' }))
  },
})
