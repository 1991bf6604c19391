import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { StowageError } from '@stowage/client'
import { ERRORS } from '@stowage/protocol/errors'
import { errorText } from '../format.ts'
import { errorByCode, problemText } from './api-texts.ts'
import * as de from './de.ts'
import * as en from './en.ts'
import * as es from './es.ts'
import * as fr from './fr.ts'
import * as ja from './ja.ts'
import { LANGUAGE_TAGS } from './language.ts'
import * as pt from './pt.ts'
import { LANGUAGES, type Language, showLanguage } from './texts.ts'

const CATALOGS = { en, de, fr, es, pt, ja }

type Entry = { path: string; value: string | Record<string, string> }

/** Every text and every plural, such as `trash.title`. */
function entriesOf(value: unknown, path: string): Entry[] {
  if (typeof value === 'string') return [{ path, value }]
  const object = value as Record<string, string>
  if (typeof object.other === 'string') return [{ path, value: object }]
  return Object.entries(object).flatMap(([name, child]) => entriesOf(child, `${path}.${name}`))
}

/** Without the translations of the API's own messages, which English does not have. */
function catalogOf(language: Language): Map<string, Entry['value']> {
  const groups = Object.entries(CATALOGS[language]).filter(
    ([name]) => !/^(?:errors|problems)$/.test(name),
  )
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

/** Messages that the code puts together from pieces. */
const PIECED = /^The file lacks the column/

const TRANSLATED = { de, fr, es, pt, ja }

test('messages of the API: the same in all languages, with the same values, and codes that there are', () => {
  const codes = [...Object.keys(ERRORS), 'timeout', 'bad_response', 'file_unreadable']
  for (const [language, { errors, problems }] of Object.entries(TRANSLATED)) {
    assert.deepEqual(Object.keys(errors).toSorted(), Object.keys(de.errors).toSorted(), language)
    assert.deepEqual(
      Object.keys(problems).toSorted(),
      Object.keys(de.problems).toSorted(),
      language,
    )
    for (const code of Object.keys(errors)) assert.ok(codes.includes(code), code)
    for (const [english, text] of Object.entries(problems)) {
      assert.deepEqual(namesIn(text), namesIn(english), `${language}: ${english}`)
    }
  }
})

test('messages of the API: each translated one is in the code of the service or the client', () => {
  const packages = join(import.meta.dirname, '../../..')
  const files = globSync('{server,protocol,client}/src/**/*.ts', { cwd: packages })
  const code = files
    .filter((file) => !/\.test\.ts$/.test(file))
    .map((file) => readFileSync(join(packages, file), 'utf8'))
    .join('\n')
    .replaceAll('\\\\', '\\')
  for (const english of Object.keys(de.problems)) {
    // A value is an expression, or a number in the text itself.
    const [first = '', ...others] = english
      .split(/\{\w+\}/)
      .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    const pattern = [first, ...others].join('(?:\\$\\{[^}]+\\}|\\d+)')
    assert.ok(PIECED.test(english) || new RegExp(pattern).test(code), english)
  }
})

test('a message of the API is translated with its values, and any other one stays as it is', (t) => {
  t.after(() => showLanguage('en', 'en-US'))
  const message = 'must have at most 255 characters'
  assert.equal(problemText(message), message)
  showLanguage('de', 'de', de)
  assert.equal(problemText(message), 'darf höchstens 255 Zeichen haben')
  assert.equal(
    problemText('must not contain the folders . or ..'),
    'darf die Ordner . und .. nicht enthalten',
  )
  assert.equal(problemText('must be something new'), 'must be something new')
  assert.equal(errorByCode('constructor'), undefined)
  const error = new StowageError('invalid', 'Invalid.', { errors: { path: ['is required', 'x'] } })
  assert.equal(errorText(error), 'path: wird benötigt, x')
  assert.equal(errorText(new StowageError('damaged', 'It is damaged.')), de.errors.damaged)
  assert.equal(
    errorText(new StowageError('AccessDenied', 'The storage reported it.')),
    'The storage reported it.',
  )
})
