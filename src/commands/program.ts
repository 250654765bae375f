// The command line, built from the command table.
import { Command } from 'commander'
import { VERSION } from '../system/version.ts'
import { type CommandRow, Typed } from './command-row.ts'
import { COMMANDS, GROUPS } from './command-table.ts'

const EXAMPLES = `Examples:
  quai demo                                            serve a fictional city
  quai check city.zip                                  find problems in a feed
  quai import --config quai.toml                       import new and changed feeds
  quai keys create --account me@example.org --plan max --name laptop
  quai serve --config quai.toml --port 8080
  quai kit ops                                         write files for operators
`
const EXIT_STATUS = '0 success, 1 failure, 2 invalid command line or configuration'

/** Exit status for an invalid command line or configuration. */
const USAGE = 2

/** Runs a command line and returns the exit status. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let status = 0
  const program = new Command('quai')
    .description('A public-transport data service: imports GTFS, serves a fast, metered HTTP API.')
    .version(VERSION)
    .addHelpText('before', EXAMPLES)
    .addHelpText('after', `\nRun "quai COMMAND --help" for help on a command.\n\nExit status: ${EXIT_STATUS}.`)
  const groups = new Map<string, Command>()
  for (const row of COMMANDS) {
    const command = addCommand(parentOf(row, program, groups), row)
    command.action(async () => {
      status = await row.work(new Typed(command.args, command.opts()))
    })
  }
  program.exitOverride((ended) => {
    throw ended
  })
  for (const command of [program, ...program.commands, ...program.commands.flatMap((each) => each.commands)]) {
    command.showSuggestionAfterError().exitOverride()
  }
  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    return explain(error)
  }
  return status
}

function parentOf(row: CommandRow, program: Command, groups: Map<string, Command>): Command {
  const [group, name] = row.words.split(' ')
  if (group === undefined || name === undefined) return program
  const parent = groups.getOrInsertComputed(group, () => {
    const members = COMMANDS.filter(({ words }) => words.startsWith(`${group} `))
    const examples = examplesText(members.map(({ examples: [first = ''] }) => first))
    return program
      .command(group)
      .description(GROUPS[group] ?? '')
      .addHelpText('before', examples)
  })
  return parent
}

function addCommand(parent: Command, row: CommandRow): Command {
  const command = parent.command(row.words.split(' ').at(-1) ?? '').description(row.description)
  for (const argument of row.arguments ?? []) command.argument(argument)
  for (const [flags, description] of row.options ?? []) {
    if (flags.startsWith('!')) command.requiredOption(flags.slice(1), description)
    else command.option(flags, description)
  }
  command.addHelpText('before', examplesText(row.examples))
  if (row.notes !== undefined) command.addHelpText('after', `\n${row.notes}`)
  command.addHelpText('after', `\nExit status: ${row.exitStatus ?? EXIT_STATUS}.`)
  return command
}

function examplesText(lines: readonly string[]): string {
  return `Examples:\n${lines.map((line) => `  ${line}\n`).join('')}`
}

/** Names of errors that are reported by their message only, without a stack trace. */
const FOR_THE_OPERATOR = new Set([
  'ConfigError',
  'DataDirBusy',
  'DataDirUnusable',
  'PepperUnavailable',
  'StoreDamaged',
  'StoreUnavailable',
  'FeedRefused',
  'AccountRefusal',
  'PortUnavailable',
])

function explain(error: unknown): number {
  if (!(error instanceof Error)) throw error
  // commander has already printed its message; help is not an error.
  if ('exitCode' in error && 'code' in error && String(error.code).startsWith('commander.')) {
    return error.exitCode === 0 ? 0 : USAGE
  }
  const kind = error.constructor.name
  console.error(FOR_THE_OPERATOR.has(kind) ? `quai: ${error.message}` : error)
  return kind === 'ConfigError' ? USAGE : 1
}
