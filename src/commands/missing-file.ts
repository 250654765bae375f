// The message of `quai serve` without a configuration file: nothing is served, and how to begin.
import { resolve } from 'node:path'

/** A message for a folder without quai.toml, and so without networks. */
export function describeMissingFile(folder: string): string {
  return `quai: there is no quai.toml in ${resolve(folder)}, so no networks are served. "quai init FEED" writes one for a
zip file, a folder or a URL. The shortest is:

  [[networks]]
  id = "mycity"
  name = "My city"
  gtfs = "feed.zip"     # a zip file, a folder or a URL

Then start again. "quai kit ops" writes a longer one to ops/quai.toml, "quai config schema" lists all settings, and
"quai demo" serves a fictional city.

`
}
