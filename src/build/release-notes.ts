// The changes of a version, from the changelog.
import { join } from 'node:path'

/** What is unreleased, or the section of a version if nothing is. Throws if the changelog has neither. */
export async function releaseNotes(root: string, version: string): Promise<string> {
  const text = await Bun.file(join(root, 'src', 'docs', 'guides', 'changelog.md')).text()
  const sections = text.split(/^(?=## )/m)
  const find = (title: RegExp) => sections.find((section) => title.test(section))
  const section = find(/^## Unreleased$/m) ?? find(new RegExp(`^## ${version.replaceAll('.', '\\.')}(?![\\d.])`))
  if (section === undefined) throw new Error(`the changelog has no section ${version}, and none of what is unreleased`)
  return `# Quai ${version}\n\n${section.slice(section.indexOf('\n')).trim()}\n`
}
