// The configuration file as plain values: TOML, with the line named where it can't be read.
import { readFileSync } from 'node:fs'

/** The configuration can't be used; the message has a line for each problem and no secret. */
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

/** The line after the longest beginning of the text that can be read; where a list or text of several lines is at fault, its first. */
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
