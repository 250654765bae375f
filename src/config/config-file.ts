// Parses the TOML configuration file. Errors name the line.
import { readFileSync } from 'node:fs'

/** The error for an invalid configuration. Its message has one line per problem and no secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Reads a TOML file; throws ConfigError. */
export function parseConfigFile(file: string): unknown {
  const text = readText(file)
  try {
    return Bun.TOML.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const reason = error.message.replace(/^TOML Parse error: /, '')
    throw new ConfigError(`${file}:${findFaultyLine(text)} is not valid TOML: ${reason}`)
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`the configuration file can't be read: ${error instanceof Error ? error.message : error}`)
  }
}

/**
 * Finds the line with the fault: the line after the longest beginning of the file that is valid TOML. If the fault is
 * in a list or string that spans several lines, returns the first line of the list or string.
 */
function findFaultyLine(text: string): number {
  const lines = text.split('\n')
  for (let count = lines.length - 1; count > 0; count--) {
    if (isToml(lines.slice(0, count).join('\n'))) return count + 1
  }
  return 1
}

function isToml(text: string): boolean {
  try {
    Bun.TOML.parse(text)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}
