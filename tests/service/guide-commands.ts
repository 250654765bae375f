// Reads commands from the Markdown of documents: the lines that start with `$` in console blocks, and all lines in
// other shell blocks.
import install from '../../src/docs/guides/install.md' with { type: 'text' }
import operate from '../../src/docs/guides/operate.md' with { type: 'text' }

/** Matches a script in a guide: its file name in backticks, followed by a block with its code. */
const SCRIPT = /`([\w-]+\.mjs)`[^`]*\n\n```ts\n([\s\S]*?)^```$/gm
const FENCE = /^ *```(\w*)\n([\s\S]*?)^ *```$/gm
const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'shell', 'zsh', 'console'])

/** A command in a document. */
export interface GuideCommand {
  /** The command on one line, without the comment after it. */
  readonly line: string
  /** The language of the block that contains the command: `console`, or a shell such as `bash`. */
  readonly language: string
  /** The second-level heading above the command; empty before the first heading. */
  readonly section: string
}

/** All commands in a document, in order. */
export function commandsIn(text: string): GuideCommand[] {
  return text.split(/^(?=## )/m).flatMap((part) => {
    const section = /^## (.*)$/m.exec(part)?.[1] ?? ''
    return [...part.matchAll(FENCE)].flatMap(([, language = '', block = '']) =>
      SHELLS.has(language) ? linesOf(block, language).map((line) => ({ line, language, section })) : [],
    )
  })
}

/** The scripts in a document: file name → code. */
export function scriptsIn(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(SCRIPT)].map(([, name = '', code = '']) => [name, code]))
}

/** The commands in console blocks, in order. */
export function commandsOf(text: string): string[] {
  return commandsIn(text)
    .filter(({ language }) => language === 'console')
    .map(({ line }) => line)
}

/**
 * The commands that the guides give for a server, from installing the package to removing it. A test runs them in an
 * empty Debian.
 */
export function serverCommands(): string[] {
  const installing = commandsOf(install)
  const purge = installing.pop() ?? ''
  const [, backup = ''] = operate.split(/^(?=## Backup and restore$|## Upgrade and downgrade$)/m)
  return [...installing, ...commandsOf(backup), purge]
}

function linesOf(block: string, language: string): string[] {
  const lines = block.replaceAll('\\\n', ' ').split('\n')
  const typed = language === 'console' ? lines.filter((line) => line.startsWith('$ ')) : lines
  return typed.map((line) => withoutRemark(line.replace(/^\$ /, ''))).filter((line) => line !== '')
}

function withoutRemark(line: string): string {
  return line.replace(/(^|\s+)# .*$/, '').replace(/ {2,}/g, ' ')
}
