// A plugin that is loaded before a model of metering. It makes segments one page long, so that they grow after 64
// slots, and puts them on a disk that can fail. It only replaces imports of segment files, nothing else in src/.
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
      if (contents === text) throw new Error(`${path} has nothing that could be replaced`)
      return { contents, loader: 'ts' }
    })
  },
})
