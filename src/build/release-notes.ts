// Release notes, taken from the changelog.
import { join } from 'node:path'

/**
 * The release notes for a version: the changelog's section "Unreleased", or the section for the version if there is no
 * "Unreleased". Throws if the changelog has neither.
 * @param changes a section about changes to the API documents, which is appended
 */
export async function releaseNotes(root: string, version: string, changes?: string): Promise<string> {
  const text = await Bun.file(join(root, 'src', 'docs', 'guides', 'changelog.md')).text()
  const sections = text.split(/^(?=## )/m)
  const find = (title: string) =>
    sections.find((section) => section.startsWith(`## ${title}`) && !/^[\d.]/.test(section.slice(title.length + 3)))
  const section = find('Unreleased') ?? find(version)
  if (section === undefined) throw new Error(`the changelog has no section ${version} or Unreleased; add one of them`)
  const notes = `# Quai ${version}\n\n${section.slice(section.indexOf('\n')).trim()}\n`
  return changes === undefined ? notes : `${notes}\n${changes}`
}
