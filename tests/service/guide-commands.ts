// The commands that a guide says to type, read from its Markdown: lines that begin with `$` in blocks of a console.

const CONSOLE = /^```console\n([\s\S]*?)^```$/gm

/** All commands of a guide in their order, each on one line and without its remark. */
export function commandsOf(text: string): string[] {
  return [...text.matchAll(CONSOLE)].flatMap(([, block = '']) =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => line.startsWith('$ '))
      .map((line) =>
        line
          .slice(2)
          .replace(/\s+# .*$/, '')
          .replace(/ {2,}/g, ' '),
      ),
  )
}
