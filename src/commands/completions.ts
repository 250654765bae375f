// `quai completions`: shell completion for commands, options and values, generated from the command table.
import { PLANS } from '../plans/plans.ts'
import type { CommandIo } from './command-io.ts'
import type { CommandRow } from './command-row.ts'
import { COMMANDS, GROUPS } from './command-table.ts'
import { LATE_ACTIONS } from './late-usage.ts'

/** The supported shells. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

const USAGE = 2

/** Prints the completion script for a shell, and returns the exit status. */
export function runCompletions(shell: string, io: CommandIo): number {
  const known = SHELLS.find((each) => each === shell)
  if (known === undefined) {
    io.stderr(`quai: no completion script for "${shell}"; expected one of ${SHELLS.join(', ')}\n`)
    return USAGE
  }
  io.stdout(completionScript(known))
  return 0
}

/** The possible values at a position: file names, any string, or one of the listed words. */
type Values = 'files' | 'unknown' | readonly string[]

interface Completed {
  /** The words of the command: one or two. */
  readonly words: readonly string[]
  readonly description: string
  readonly options: readonly {
    readonly flag: string
    readonly description: string
    /** Undefined if the option takes no value. */
    readonly values: Values | undefined
  }[]
  /** Possible values of each argument, by position. The last entry also applies to all later positions. */
  readonly arguments: readonly Values[]
}

/** The possible values of each `<placeholder>` in the help. */
const VALUES: Readonly<Record<string, Values>> = {
  file: 'files',
  folder: 'files',
  feed: 'files',
  plan: PLANS,
  shell: SHELLS,
  action: LATE_ACTIONS,
}

/** The completion script for a shell. */
export function completionScript(shell: Shell): string {
  const commands = COMMANDS.map(toCompleted)
  switch (shell) {
    case 'bash':
      return bashScript(commands)
    case 'zsh':
      return zshScript(commands)
    case 'fish':
      return fishScript(commands)
  }
}

function toCompleted(row: CommandRow): Completed {
  const options = (row.options ?? []).map(([flags, description]) => {
    const [flag = '', place] = flags.replace(/^!/, '').split(' ')
    return { flag, description, values: place === undefined ? undefined : valuesOf(place) }
  })
  return {
    words: row.words.split(' '),
    description: row.description,
    options: [...options, { flag: '--help', description: 'examples and options', values: undefined }],
    arguments: (row.arguments ?? []).map(valuesOf),
  }
}

function valuesOf(place: string): Values {
  return VALUES[place.replace(/[^a-z]/g, '')] ?? 'unknown'
}

/** The words that can follow `quai`: commands and command groups. */
function firstWords(commands: readonly Completed[]): { readonly word: string; readonly description: string }[] {
  const words = new Map<string, string>()
  for (const {
    words: [first = '', second],
    description,
  } of commands) {
    if (!words.has(first)) words.set(first, second === undefined ? description : (GROUPS[first] ?? ''))
  }
  return [...words].map(([word, description]) => ({ word, description }))
}

/** The commands in each group, by the group's name. */
function groupsOf(commands: readonly Completed[]): Map<string, Completed[]> {
  const groups = new Map<string, Completed[]>()
  for (const command of commands) {
    const [group = '', second] = command.words
    if (second !== undefined) groups.set(group, [...(groups.get(group) ?? []), command])
  }
  return groups
}

function bashScript(commands: readonly Completed[]): string {
  const reply = (values: Values) => {
    if (values === 'unknown') return ':'
    if (values === 'files') return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current"))'
    return `COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$current"))`
  }
  const groups = groupsOf(commands)
  const groupCases = [...groups].map(([group, members]) => {
    const seconds = members.map(({ words }) => words[1] ?? '')
    return `    ${group}) if ((COMP_CWORD == 2)); then ${reply(seconds)}; return; fi; command="$command \${COMP_WORDS[2]}"; start=3 ;;`
  })
  const commandCases = commands.map(({ words, options, arguments: places }) => {
    const valued = options.filter(({ values }) => values !== undefined)
    const optionCases = valued.map(({ flag, values = 'unknown' }) => `        ${flag}) ${reply(values)}; return ;;`)
    const behind = places.map((values, at) => `        ${at === places.length - 1 ? '*' : at}) ${reply(values)} ;;`)
    return `    '${words.join(' ')}')
      takes='${valued.map(({ flag }) => flag).join(' ')}'
      case "$previous" in
${[...optionCases, '        *) ;;'].join('\n')}
      esac
      if [[ $current == -* ]]; then ${reply(options.map(({ flag }) => flag))}; return; fi
      case "$(_quai_place "$start" "$takes")" in
${[...behind, ...(behind.length === 0 ? ['        *) ;;'] : [])].join('\n')}
      esac ;;`
  })
  return `# bash completion for quai: source <(quai completions bash)
# Prints the number of arguments before the cursor, not counting options and their values.
_quai_place() {
  local at count=0
  for ((at = $1; at < COMP_CWORD; at++)); do
    if [[ \${COMP_WORDS[at]} == -* ]]; then
      [[ " $2 " == *" \${COMP_WORDS[at]} "* ]] && at=$((at + 1))
    else
      count=$((count + 1))
    fi
  done
  echo "$count"
}
_quai() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  local command="\${COMP_WORDS[1]}" start=2 takes
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then ${reply([...firstWords(commands).map(({ word }) => word), '--help', '--version'])}; return; fi
  case "$command" in
${groupCases.join('\n')}
  esac
  case "$command" in
${commandCases.join('\n')}
  esac
}
complete -F _quai quai
`
}

/**
 * Puts a word in single quotes, which works in all three shells. zsh also needs colons and brackets escaped
 * (`zshText`).
 */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function zshText(text: string): string {
  return text.replace(/[\\:[\]]/g, '\\$&')
}

function zshScript(commands: readonly Completed[]): string {
  const action = (values: Values) =>
    values === 'files' ? '_files' : values === 'unknown' ? ' ' : `(${values.join(' ')})`
  const described = (words: readonly { readonly word: string; readonly description: string }[]) =>
    words.map(({ word, description }) => quoted(`${word}:${zshText(description)}`)).join(' ')
  const completed = ({ options, arguments: places }: Completed) => {
    const flags = options.map(({ flag, description, values }) =>
      quoted(`${flag}[${zshText(description)}]${values === undefined ? '' : `:value:${action(values)}`}`),
    )
    const behind = places.map((values, at) =>
      quoted(`${at === places.length - 1 ? '*' : at + 1}:argument:${action(values)}`),
    )
    return `_arguments ${[...flags, ...behind].join(' ')}`
  }
  const groups = groupsOf(commands)
  const groupCases = [...groups].map(([group, members]) => {
    const seconds = members.map(({ words, description }) => ({ word: words[1] ?? '', description }))
    const cases = members.map((member) => `        ${member.words[1]}) ${completed(member)} ;;`)
    return `    ${group})
      if ((CURRENT == 2)); then known=(${described(seconds)}); _describe command known; return; fi
      shift words; ((CURRENT--))
      case "$words[1]" in
${cases.join('\n')}
      esac ;;`
  })
  const lone = commands.filter(({ words }) => words.length === 1)
  return `#compdef quai
# zsh completion for quai: quai completions zsh > FOLDER/_quai, where FOLDER is in $fpath
_quai() {
  local -a known
  if ((CURRENT == 2)); then known=(${described(firstWords(commands))}); _describe command known; return; fi
  shift words; ((CURRENT--))
  case "$words[1]" in
${[...groupCases, ...lone.map((command) => `    ${command.words[0]}) ${completed(command)} ;;`)].join('\n')}
  esac
}
if [ "$funcstack[1]" = _quai ]; then _quai "$@"; else compdef _quai quai; fi
`
}

function fishScript(commands: readonly Completed[]): string {
  const lines = ['# fish completion for quai: quai completions fish > ~/.config/fish/completions/quai.fish']
  const add = (condition: string, rest: string) => lines.push(`complete -c quai -n ${quoted(condition)} ${rest}`)
  const takes = (values: Values) =>
    values === 'files' ? '-r -F' : values === 'unknown' ? '-x' : `-x -a ${quoted(values.join(' '))}`
  lines.push('complete -c quai -f')
  for (const { word, description } of firstWords(commands)) {
    add('__fish_use_subcommand', `-a ${word} -d ${quoted(description)}`)
  }
  const groups = groupsOf(commands)
  for (const { words, description, options, arguments: places } of commands) {
    const [first = '', second] = words
    const inGroup = `__fish_seen_subcommand_from ${first}`
    if (second !== undefined) {
      const seconds = (groups.get(first) ?? []).map((member) => member.words[1])
      add(
        `${inGroup}; and not __fish_seen_subcommand_from ${seconds.join(' ')}`,
        `-a ${second} -d ${quoted(description)}`,
      )
    }
    const here = second === undefined ? inGroup : `${inGroup}; and __fish_seen_subcommand_from ${second}`
    for (const { flag, description: meaning, values } of options) {
      const value = values === undefined ? '' : ` ${takes(values)}`
      add(here, `-l ${flag.slice(2)}${value} -d ${quoted(meaning)}`)
    }
    for (const values of new Set(places)) {
      if (values === 'files') add(here, '-F')
      else if (values !== 'unknown') add(here, `-a ${quoted(values.join(' '))}`)
    }
  }
  return `${lines.join('\n')}\n`
}
