// A command: its words, arguments, options and implementation.
import type { Config, ConfigSources } from '../config/config.ts'
import { type ClockStart, readClockStart } from '../system/clock.ts'
import { type CommandIo, PROCESS_IO } from './command-io.ts'

/** The arguments and options of a command. */
export class Typed {
  readonly io: CommandIo = PROCESS_IO
  /** The arguments in order. Absent optional arguments are left out. */
  readonly words: readonly string[]
  private readonly options: Readonly<Record<string, unknown>>

  constructor(words: readonly string[], options: Readonly<Record<string, unknown>>) {
    this.words = words
    this.options = options
  }

  word(index: number): string {
    return this.words[index] ?? ''
  }

  text(option: string): string | undefined {
    const value = this.options[option]
    return typeof value === 'string' ? value : undefined
  }

  has(option: string): boolean {
    return this.options[option] === true
  }

  get sources(): ConfigSources {
    const flags: Record<string, unknown> = {}
    for (const [option, setting] of SETTING_OPTIONS) {
      if (this.options[option] !== undefined) flags[setting] = this.options[option]
    }
    return { file: this.text('config'), flags }
  }

  async config(): Promise<Config> {
    const { loadConfig } = await import('../config/config.ts')
    return loadConfig(this.sources)
  }

  get clock(): ClockStart {
    return readClockStart(process.env)
  }
}

/** Options that override configuration settings. */
const SETTING_OPTIONS = [
  ['port', 'port'],
  ['accountPort', 'account_port'],
  ['adminPort', 'admin_port'],
  ['explorerPort', 'explorer_port'],
  ['workers', 'workers'],
] as const

/** A command. */
export interface CommandRow {
  /** The words of the command: `keys create` is the command `create` in the group `keys`. */
  readonly words: string
  readonly description: string
  /** The arguments, in the syntax of the `commander` package: `<needed>`, `[optional]`, `[many...]`. */
  readonly arguments?: readonly string[]
  /** Flags and their descriptions; required flags start with `!`. */
  readonly options?: readonly (readonly [flags: string, description: string])[]
  /** Working examples, the most common first. Help starts with them. */
  readonly examples: readonly string[]
  /** Notes that the help shows below the options. */
  readonly notes?: string
  readonly exitStatus?: string
  /** Runs the command and returns the exit status. */
  readonly work: (typed: Typed) => Promise<number>
}

/** Options that several commands have. */
export const CONFIG = [
  '--config <file>',
  'configuration file (default: quai.toml in the current folder, if it exists)',
] as const
export const JSON_OUTPUT = ['--json', 'print JSON'] as const
