// The message that `quai serve` prints if there is no configuration file. It says that nothing is served, and how to
// write a configuration.
import { resolve } from 'node:path'

/** The message for a folder without quai.toml. */
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
