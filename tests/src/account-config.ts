// A configuration for tests, and for processes that they start: everything is in one folder, and no environment
// variables are read.
import { type Config, loadConfig } from '../../src/config/config.ts'

/** A configuration whose data directory is the folder, for two data threads. */
export function makeConfig(folder: string, flags: Record<string, unknown> = {}): Config {
  return loadConfig({ currentFolder: folder, env: {}, flags: { data_dir: folder, workers: 2, ...flags } })
}
