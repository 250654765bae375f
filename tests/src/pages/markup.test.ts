// Tests pages that contain strings from feeds. Fails if such a string can end a tag, an attribute or a script, anywhere
// in a page.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { html, Markup } from '../../../src/pages/markup.ts'
import { bySize, SEED } from '../../size.ts'

test('a template is markup, its values are text, and parts of pages stay unchanged', () => {
  const inner = html`<b>${'a < b & "c"'}</b>`
  expect(inner.text).toBe('<b>a &lt; b &amp; &quot;c&quot;</b>')
  expect(html`<p title="${"it's"}">${[inner, ' ', 7, false, undefined]}</p>`.text).toBe(
    '<p title="it&#39;s"><b>a &lt; b &amp; &quot;c&quot;</b> 7</p>',
  )
  expect(html`${'\u202egnp.exe\u0007'}`.text).toBe('\ufffdgnp.exe\ufffd')
  expect(inner).toBeInstanceOf(Markup)
})

test('a browser reads any text back unchanged', () => {
  const signs = fc.constantFrom(
    '<',
    '>',
    '&',
    '"',
    "'",
    '`',
    '=',
    '/',
    'a',
    '&lt;',
    '<script>',
    '-->',
    ']]>',
    'é',
    '\u{1f68b}',
  )
  fc.assert(
    fc.property(fc.array(signs, { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      const written = html`${text}`.text
      expect(written).not.toMatch(/[<>"']/)
      expect(readBack(written)).toBe(text)
    }),
    { seed: SEED, numRuns: bySize({ quick: 300, ci: 2_000, full: 20_000 }) },
  )
})

/** Decodes the five entities that escaping produces, as any browser does. */
function readBack(markup: string): string {
  const known: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return markup.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => known[name] ?? '')
}
