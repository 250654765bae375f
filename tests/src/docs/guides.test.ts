// Tests the guides as rendered pages. Fails if a link leads to a guide or a heading that does not exist. In the
// repository, guides link to each other as files; on the pages, they link by URLs.
import { expect, test } from 'bun:test'
import { guidePage } from '../../../src/docs/guide-page.ts'
import { GUIDES, guidePath } from '../../../src/docs/guides.ts'

const LINK = /<a href="([^"]+)"/g
const HEADING = /<h[1-6] id="([^"]+)"/g

test('links in guides lead to existing guides and headings', async () => {
  const pages = new Map<string, string>()
  for (const guide of GUIDES)
    pages.set(guidePath(guide), await guidePage(guide, { baseUrl: 'https://api.example.org' }))
  let count = 0
  const dead: string[] = []
  for (const [path, page] of pages) {
    for (const [, href = ''] of page.matchAll(LINK)) {
      const { origin, pathname, hash } = new URL(href.replaceAll('&amp;', '&'), `https://docs.example${path}`)
      if (origin !== 'https://docs.example' || !pathname.startsWith('/docs/guides/')) continue
      count += 1
      const ids = [...(pages.get(pathname)?.matchAll(HEADING) ?? [])].map(([, id]) => id)
      if (!pages.has(pathname) || (hash !== '' && !ids.includes(hash.slice(1)))) dead.push(`${path}: ${href}`)
    }
  }
  expect(dead).toEqual([])
  expect(count).toBeGreaterThan(GUIDES.length * GUIDES.length) // each page links to all others at its end
})
