import fc from 'fast-check'
import { hasLiquid, liquidShield, MARK } from './liquid-shield'

const shielded = (source: string) => {
  const shield = liquidShield(source)
  return { ...shield, hidden: shield.hide(source) }
}

test('what is hidden comes back as it was, whatever it is', () => {
  const piece = fc.constantFrom(
    '{{',
    '}}',
    '{%',
    '%}',
    ' ',
    'a',
    'lq0x0z',
    'LQ1X',
    '{{ x }}',
    '{% if y %}',
    '<p>',
    '\n',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 15 }), (pieces) => {
      const source = pieces.join('')
      const { hidden, restore } = shielded(source)
      expect(restore(`x${hidden}`)).toBe(`x${source}`)
    }),
  )
})

test('constructs become words, from an opening to the next closing', () => {
  const { hidden } = shielded('a {{ "{% x %}" }} b {% y "{{ z }}" %} c')
  expect(hidden).toBe('a lq0x0z b lq0x1z c')
})

test('what nothing closes is text, and so is all behind it', () => {
  expect(shielded('{{ a }} {{ b {% c %}').hidden).toBe('lq0x0z {{ b {% c %}')
  expect(shielded('}} a %}').hidden).toBe('}} a %}')
})

test('words are ones that occur nowhere, in any letter case', () => {
  expect(shielded('lq0x {{ a }}').hidden).toBe('lq0x lq1x0z')
  expect(shielded('LQ0X LQ1x {{ a }}').hidden).toBe('LQ0X LQ1x lq2x0z')
})

test('a tag on a line of its own is no paragraph, an output is one', () => {
  const { restore } = shielded('{% if a %}{{ b }}{% endif %}')
  expect(restore('<p>lq0x0z</p>')).toBe('{% if a %}')
  expect(restore('<p> lq0x0z \n lq0x2z </p>')).toBe(' {% if a %} \n {% endif %} ')
  expect(restore('<p>lq0x1z</p>')).toBe('<p>{{ b }}</p>')
  expect(restore('<p>lq0x0zlq0x1zlq0x2z</p>')).toBe('<p>{% if a %}{{ b }}{% endif %}</p>')
  expect(restore('<p>lq0x0z text</p>')).toBe('<p>{% if a %} text</p>')
})

test('before anything is known, an output is a mark and a tag is nothing', () => {
  const { blank } = shielded('{% if a %}{{ b }}{% endif %}')
  expect(blank('xlq0x0zlq0x1zlq0x2zy')).toBe(`x${MARK}y`)
})

test('a text without openings has nothing for Liquid to do', () => {
  expect(['{{', '{%', 'a {{ b }}', 'a {% b %}'].map(hasLiquid)).toEqual([true, true, true, true])
  expect(['', 'a', '{ {', '}}', '%}'].map(hasLiquid)).toEqual([false, false, false, false, false])
})
