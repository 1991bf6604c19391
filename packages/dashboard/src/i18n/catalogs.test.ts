import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as de from './de.ts'
import * as en from './en.ts'
import * as es from './es.ts'
import * as fr from './fr.ts'
import * as ja from './ja.ts'
import { LANGUAGE_TAGS } from './language.ts'
import * as pt from './pt.ts'
import { LANGUAGES } from './texts.ts'

const CATALOGS = { en, de, fr, es, pt, ja }

type Entry = { path: string; value: string | Record<string, string> }

/** Every text and every plural, such as `trash.title`. */
function entriesOf(value: unknown, path: string): Entry[] {
  if (typeof value === 'string') return [{ path, value }]
  const object = value as Record<string, string>
  if (typeof object.other === 'string') return [{ path, value: object }]
  return Object.entries(object).flatMap(([name, child]) => entriesOf(child, `${path}.${name}`))
}

function catalogOf(language: (typeof LANGUAGES)[number]): Map<string, Entry['value']> {
  const groups = Object.entries(CATALOGS[language])
  const entries = groups.flatMap(([name, group]) => entriesOf(group, name))
  return new Map(entries.map(({ path, value }) => [path, value]))
}

const textsOf = (value: Entry['value']) =>
  typeof value === 'string' ? [value] : Object.values(value)

const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([name]) => name).toSorted()

for (const language of LANGUAGES) {
  test(`${language}: the same texts as in English, none of them empty or with other spaces at its ends`, () => {
    const catalog = catalogOf(language)
    assert.ok(catalog.size > 50)
    assert.deepEqual([...catalog.keys()].toSorted(), [...catalogOf('en').keys()].toSorted())
    for (const [path, value] of catalog) {
      for (const text of textsOf(value)) assert.ok(text !== '' && text === text.trim(), path)
    }
  })

  test(`${language}: each text has the values of the English one`, () => {
    const english = catalogOf('en')
    for (const [path, value] of catalogOf(language)) {
      const source = english.get(path)
      assert.equal(typeof value, typeof source, path)
      const expected = typeof source === 'string' ? source : source?.other
      for (const text of textsOf(value)) {
        // `one file` need not name the number.
        const names = namesIn(text)
        const all = namesIn(expected ?? '')
        const isSame = names.join() === all.join()
        const isOnlyWithoutCount = names.join() === all.filter((name) => name !== '{count}').join()
        const isOne = typeof value !== 'string' && text === value.one
        assert.ok(isSame || (isOne && isOnlyWithoutCount), `${path}: ${text}`)
        assert.ok(!/[{}]/.test(text.replaceAll(/\{\w+\}/g, '')), `${path}: ${text}`)
      }
    }
  })

  test(`${language}: each plural has a text for every category of the language, and no others`, () => {
    const rules = new Intl.PluralRules(LANGUAGE_TAGS[language])
    const categories = rules.resolvedOptions().pluralCategories.toSorted()
    for (const [path, value] of catalogOf(language)) {
      if (typeof value === 'string') continue
      assert.deepEqual(Object.keys(value).toSorted(), categories, path)
    }
  })
}

test('hardly any text is the same as in English', () => {
  const english = catalogOf('en')
  for (const language of LANGUAGES.filter((one) => one !== 'en')) {
    const same = [...catalogOf(language)].filter(
      ([path, value]) => JSON.stringify(value) === JSON.stringify(english.get(path)),
    )
    const share = same.length / english.size
    assert.ok(share < 0.1, `${language}: ${same.map(([path]) => path)}`)
  }
})
