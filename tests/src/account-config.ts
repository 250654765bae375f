// A configuration for tests, also outside of the test runner: everything in one folder, nothing from the environment.
import { type Config, loadConfig } from '../../src/config/config.ts'

/** A configuration whose data directory is the folder, for two data threads. */
export function makeConfig(folder: string, flags: Record<string, unknown> = {}): Config {
  return loadConfig({ currentFolder: folder, env: {}, flags: { data_dir: folder, workers: 2, ...flags } })
}
