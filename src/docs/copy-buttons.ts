// Copy buttons for the samples on the public pages. A small inline script adds the buttons, so the pages also work
// without scripts. The security policy allows the script by its hash.
import { createHash } from 'node:crypto'

/** The inline script that adds the buttons. It must not contain "</", which could end the script element. */
export const COPY_SCRIPT = `for (const sample of document.querySelectorAll('.sample:not(.answer) pre')) {
  if (!navigator.clipboard) break
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    const lines = sample.textContent.trimEnd().split('\\n')
    // From commands with output, copies only the commands and their continuation lines.
    const isCommand = lines.map(() => false)
    lines.forEach((line, at) => {
      isCommand[at] = line.startsWith('$ ') || (at > 0 && isCommand[at - 1] && lines[at - 1].endsWith('\\\\'))
    })
    const commands = lines.filter((_, at) => isCommand[at]).map((line) => line.replace(/^\\$ /, ''))
    const text = (commands.length > 0 ? commands : lines).join('\\n')
    button.textContent = await navigator.clipboard.writeText(text).then(() => 'Copied', () => 'Not allowed')
    setTimeout(() => (button.textContent = 'Copy'), 2500)
  })
  sample.parentElement.append(button)
}
`

/** The source expression that allows the script in a Content-Security-Policy. */
export const COPY_SOURCE = `'sha256-${createHash('sha256').update(COPY_SCRIPT).digest('base64')}'`
