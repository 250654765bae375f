// A plugin that is loaded before the modules of the metering model. It makes segments one page long, so that they grow
// after 64 slots, and puts them on a disk that can fail. It changes only the modules that handle segment files, and
// nothing else in src/.
import { plugin } from 'bun'

const FAULTY_DISK = JSON.stringify(new URL('./faulty-disk.ts', import.meta.url).pathname)

plugin({
  name: 'small segments on a faulty disk',
  setup(build) {
    build.onLoad({ filter: /\/src\/metering\/(slots|segment|segment-recovery)\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      const contents = text
        .replace('SLOTS_PER_EXTENT = 65_536', 'SLOTS_PER_EXTENT = 64')
        .replace("'node:fs'", FAULTY_DISK)
      if (contents === text) throw new Error(`${path} has nothing to replace`)
      return { contents, loader: 'ts' }
    })
  },
})
