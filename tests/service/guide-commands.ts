// Reads the commands in documents from their Markdown: lines that start with `$` in console blocks, and lines of other
// shell blocks.
import install from '../../src/docs/guides/install.md' with { type: 'text' }
import operate from '../../src/docs/guides/operate.md' with { type: 'text' }

/** Matches a script in a guide: the name of the file in backticks, followed by a block with the code. */
const SCRIPT = /`([\w-]+\.mjs)`[^`]*\n\n```ts\n([\s\S]*?)^```$/gm
const FENCE = /^ *```(\w*)\n([\s\S]*?)^ *```$/gm
const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'shell', 'zsh', 'console'])

/** A command of a document. */
export interface GuideCommand {
  /** The command on one line, without its comment. */
  readonly line: string
  /** The language of the command's block: `console`, or a shell such as `bash`. */
  readonly language: string
  /** The second-level heading above the command; empty before the first heading. */
  readonly section: string
}

/** All commands of a document, in order. */
export function commandsIn(text: string): GuideCommand[] {
  return text.split(/^(?=## )/m).flatMap((part) => {
    const section = /^## (.*)$/m.exec(part)?.[1] ?? ''
    return [...part.matchAll(FENCE)].flatMap(([, language = '', block = '']) =>
      SHELLS.has(language) ? linesOf(block, language).map((line) => ({ line, language, section })) : [],
    )
  })
}

/** The scripts of a document by file name. */
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
 * The commands of the guides for a server, from installing to removing the package. A test types them in an empty
 * Debian.
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
