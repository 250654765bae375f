// `quai config check | print | schema`.

import { type ConfigSources, loadConfig, loadRedactedSettings } from '../config/config.ts'
import { configJsonSchema, configWarnings, findUnknownEnvironment } from '../config/config-document.ts'
import { ConfigError } from '../config/config-file.ts'
import { countText } from '../system/count-text.ts'
import type { CommandIo } from './command-io.ts'

/** Exit status for an invalid configuration. */
const UNUSABLE = 2

/**
 * Checks the configuration, and lists warnings. `QUAI_*` environment variables that are not settings are among the
 * warnings.
 */
export function runConfigCheck(sources: ConfigSources, io: CommandIo, options: { json?: boolean } = {}): number {
  if (options.json === true) return checkAsJson(sources, io)
  return guarded(io, () => {
    const config = loadConfig(sources)
    const warnings = [...configWarnings(config), ...findUnknownEnvironment(sources.env ?? process.env)]
    for (const warning of warnings) io.stderr(`warning: ${warning}\n`)
    const networks = countText(config.networks.length, 'network')
    io.stdout(`${config.file ?? 'the configuration (no file)'} is valid: ${networks}\n`)
  })
}

/** Prints the effective settings as TOML or JSON, without secrets. */
export function runConfigPrint(sources: ConfigSources, options: { json?: boolean }, io: CommandIo): number {
  return guarded(io, () => {
    loadConfig(sources) // throws if the configuration is invalid, so that it is not printed
    const settings = loadRedactedSettings(sources)
    io.stdout(
      options.json === true ? `${JSON.stringify(settings, null, 2)}\n` : `${Bun.TOML.stringify(settings).trimEnd()}\n`,
    )
  })
}

/** Prints the JSON Schema of the configuration file. */
export function runConfigSchema(io: CommandIo): number {
  io.stdout(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)
  return 0
}

/** Checks the configuration and prints the result as one JSON document. */
function checkAsJson(sources: ConfigSources, io: CommandIo): number {
  const print = (found: Readonly<Record<string, unknown>>) => io.stdout(`${JSON.stringify(found, null, 2)}\n`)
  try {
    const config = loadConfig(sources)
    const warnings = [...configWarnings(config), ...findUnknownEnvironment(sources.env ?? process.env)]
    const networks = config.networks.map(({ id }) => id)
    print({ is_usable: true, file: config.file ?? null, networks, warnings, problem: null })
    return 0
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    print({ is_usable: false, file: null, networks: [], warnings: [], problem: error.message })
    return UNUSABLE
  }
}

function guarded(io: CommandIo, run: () => void): number {
  try {
    run()
    return 0
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    io.stderr(`quai: ${error.message}\n`)
    return UNUSABLE
  }
}
