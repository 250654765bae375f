// Tests the conversion of HTML in alerts to plain text. The expected results were written by hand. They are what a
// browser would show for the same HTML, with an empty line between paragraphs. Hostile input has a time limit, because
// a feed can contain a megabyte of open tags.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { cutText, toPlainLine, toPlainText } from '../../../indexes/live/html-text.ts'
import { bySize, SEED } from '../../size.ts'

test.each([
  ['plain text stays as it is', 'Ligne A : travaux\nde 9 h à 17 h', 'Ligne A : travaux\nde 9 h à 17 h'],
  ['line breaks of tags and of the source', 'a<br>b<br/>\nc\nd</br>e', 'a\nb\nc\nd\ne'],
  ['two breaks make an empty line, and three make no more', 'a<br><br>b<br><br><br>c', 'a\n\nb\n\nc'],
  ['paragraphs', '<p>Un</p>\n\n<p class="x">Deux</p>', 'Un\n\nDeux'],
  ['lists and boxes', '<ul><li>a</li>\n<li>b</li></ul><div>c</div><div>d</div>', 'a\nb\n\nc\nd'],
  ['cells', '<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>', '1 2\n3'],
  ['tags within a word', 'For<b>bach</b>', 'Forbach'],
  ['links', 'Voir <a href="https://x.example/?a=1&b=2">ici</a>.', 'Voir ici.'],
  ['references', '&eacute;&#233;&#xE9; &lt;3 &amp; &quot;x&quot; &rarr; &euro;', 'ééé <3 & "x" → €'],
  ['a reference is decoded once', 'AT&amp;amp;T', 'AT&amp;T'],
  ['references of Windows-1252, as in HTML', '&#146;&#150;&#x80;', '’–€'],
  ['invalid references', '&nothing; &copy & &#0; &#xD800; &#9999999;', '&nothing; &copy & \ufffd \ufffd \ufffd'],
  ['a hard space before a colon stays', 'Travaux&nbsp;: oui', 'Travaux\u00a0: oui'],
  ['other blanks become one', 'a \t  b&nbsp;&nbsp; c', 'a b c'],
  [
    'angle brackets that are not tags',
    '5 < 6 > 4, <-> <3 <info@x.example> a<b',
    '5 < 6 > 4, <-> <3 <info@x.example> a<b',
  ],
  ['scripts and styles', 'a<script>alert("<b>")</script>b<STYLE>p{}</STYLE >c', 'abc'],
  ['an event handler in an attribute with an angle bracket', 'a<img src=x onerror="if(1>0)alert(1)">b', 'ab'],
  ['an apostrophe in a tag does not open a quote', "a<b it's>c</b>d>e", 'acd>e'],
  ['a quote that is never closed', 'a<b title="x>c</b>d', 'acd'],
  ['comments and declarations', '<!DOCTYPE html>a<!-- <b>x</b> > -->b<?xml ?>c', 'abc'],
  ['a tag assembled from the parts around another', '<scr<script></script>ipt>alert(1)</script>x', ''],
  [
    'HTML that was escaped again',
    '&lt;p&gt;Un &amp;eacute;t&amp;eacute;&lt;/p&gt;&lt;p&gt;Deux&lt;/p&gt;',
    'Un été\n\nDeux',
  ],
  ['HTML in a CDATA section', '<![CDATA[<p>Un</p>]]>', 'Un'],
  ['right to left', '<b>تحويلة</b> في شارع <i>5</i>', 'تحويلة في شارع 5'],
  ['control characters', 'a\u0000\u0007b\u009fc\ufeff\r\nd\u2028e', 'abc\nd\ne'],
  ['half a character', 'a\ud800b', 'a\ufffdb'],
  ['nothing', ' <p>&nbsp;</p> ', ''],
])('%s', (_, html, plain) => {
  expect(toPlainText(html)).toBe(plain)
})

test('a title is one line', () => {
  expect(toPlainLine('<p>Ligne A</p><p>Travaux<br>ce soir</p>')).toBe('Ligne A Travaux ce soir')
})

test('a long text is cut between characters and marked as cut', () => {
  expect(cutText('abc', 3)).toBe('abc')
  expect(cutText('abcd', 3)).toBe('ab…')
  expect(cutText('a🚋bc', 3)).toBe('a…')
})

test('no text keeps a tag, a control character or more than one blank line', () => {
  const piece = fc.constantFrom(
    ...'< > / " = <b> </b> <p> <br> <script> </script> <!-- --> &lt; &gt; &amp; &#60; &#62; &amp;lt; x y'.split(' '),
    ' ',
    '\n',
    '\t',
    '<a href="',
    '\u0001',
    '<![CDATA[',
    ']]>',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const plain = toPlainText(pieces.join(''))
      expect(plain).not.toMatch(/<\/?(?:b|p|br|script|a)(?:[\s/][^<>]*)?>/)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there.
      expect(plain).not.toMatch(/[\u0000-\u0008\u000b-\u001f]|\n\n\n/)
      expect(plain).toBe(plain.trim())
    }),
    { seed: SEED, numRuns: bySize({ quick: 2_000, ci: 20_000, full: 300_000 }) },
  )
})

test('time is linear in the length', () => {
  const hostile = [
    '<a ',
    '<a b="',
    '<a b="x" ',
    '<a b=\'"',
    '<!--',
    '<!',
    '&#1',
    '&lt;',
    '<p>',
    ' \n',
    '<script>',
    '<x-',
  ]
  for (const piece of [...hostile, '<title>x</title', '<![CDATA[', '\u00a0\t', '<br>\n ']) {
    const text = `${piece.repeat(Math.floor(500_000 / piece.length))}>`
    const start = performance.now()
    toPlainText(text)
    // Half a megabyte takes about 10 ms to 50 ms. With a step that took quadratic time, a text would take minutes.
    expect(performance.now() - start).toBeLessThan(2000)
  }
})
