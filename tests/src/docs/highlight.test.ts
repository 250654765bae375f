// Tests syntax highlighting of code samples. No part of a sample may be lost or become markup, and text that looks like
// a comment or a string but is part of something else must not be highlighted as one.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { highlighted } from '../../../src/docs/highlight.ts'
import { html } from '../../../src/pages/markup.ts'

const rendered = (text: string, language: string) => html`${highlighted(text, language)}`.text

test('comments, strings, keywords and prompts', () => {
  expect(rendered('a = "x # y" # why\nurl = 1', 'toml')).toBe(
    'a = <span class="code-string">&quot;x # y&quot;</span> <span class="code-comment"># why</span>\nurl = 1',
  )
  expect(rendered("const a = 'b' // isn't", 'ts')).toBe(
    '<span class="code-word">const</span> a = <span class="code-string">&#39;b&#39;</span> <span class="code-comment">// isn&#39;t</span>',
  )
  expect(rendered('$ quai serve\nIt isn\'t "quiet" # here', 'console')).toBe(
    '<span class="code-prompt">$ </span>quai serve\nIt isn&#39;t &quot;quiet&quot; # here',
  )
  expect(rendered('curl http://h/#key', 'sh')).toBe('curl http://h/#key')
  expect(rendered('<b>', 'nginx')).toBe('&lt;b&gt;')
})

test('without its spans, a sample is unchanged', () => {
  const text = fc.string({ unit: fc.constantFrom('#', '/', '"', "'", '\\', ' ', '\n', '$', 'a', '<', 'const', 'if') })
  fc.assert(
    fc.property(text, fc.constantFrom('sh', 'toml', 'python', 'ts', 'json', 'console', 'text'), (sample, language) => {
      const plain = rendered(sample, language).replace(/<\/?span[^>]*>/g, '')
      expect(plain).toBe(html`${sample}`.text)
    }),
  )
})
