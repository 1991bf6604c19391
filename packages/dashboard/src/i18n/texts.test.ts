import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { chooseLanguage, localeOf } from './language.ts'
import { fill, plural, showLanguage as show, type showLanguage, texts } from './texts.ts'

/** Shows a language for the length of a test, because the tests share a process. */
function inLanguage(
  t: TestContext,
  ...[language, locale, catalog]: Parameters<typeof showLanguage>
) {
  t.after(() => show('en', 'en-US'))
  show(language, locale, catalog)
}

test('values replace the names in braces, and numbers are written as in the language', (t) => {
  const values = { count: 1_234_567.5, name: '{count}' }
  assert.equal(fill('{name}: {count}, {name}', values), '{count}: 1,234,567.5, {count}')
  inLanguage(t, 'de', 'de-AT')
  assert.match(fill('{count}', { count: 1_234_567.5 }), /^1\s234\s567,5$/)
  inLanguage(t, 'de', 'de')
  assert.equal(fill('{count}', { count: 1_234_567.5 }), '1.234.567,5')
})

test('a plural follows the rules of the language', (t) => {
  const forms = { one: '{count} a', many: '{count} b', other: '{count} c' }
  assert.deepEqual(
    [0, 1, 2, 1_000_000].map((count) => plural(forms, count)),
    ['0 c', '1 a', '2 c', '1,000,000 c'],
  )
  inLanguage(t, 'fr', 'fr')
  assert.deepEqual(
    [0, 1, 2, 1_000_000].map((count) => plural(forms, count).replaceAll(/\s/g, ' ')),
    ['0 a', '1 a', '2 c', '1 000 000 b'],
  )
  inLanguage(t, 'ja', 'ja')
  assert.deepEqual(
    [0, 1].map((count) => plural({ other: '{count} 件' }, count)),
    ['0 件', '1 件'],
  )
})

test('a group changes with the language, whether it is used before or after', (t) => {
  const early = texts('early', { title: 'Trash', rest: { one: 'One' } })
  inLanguage(t, 'de', 'de', { early: { title: 'Papierkorb' }, late: { title: 'Später' } })
  const late = texts('late', { title: 'Late' })
  assert.deepEqual([early.title, early.rest.one, late.title], ['Papierkorb', 'One', 'Später'])
  show('en', 'en')
  assert.deepEqual([early.title, late.title], ['Trash', 'Late'])
})

test('the language is the first known one of the browser, otherwise English', () => {
  const choices: [string[], string][] = [
    [['de-AT', 'en'], 'de'],
    [['nl', 'FR-ca', 'de'], 'fr'],
    [['pt-PT'], 'pt'],
    [['zh-CN', 'ko'], 'en'],
    [['deu', 'esperanto'], 'en'],
    [[], 'en'],
  ]
  for (const [tags, language] of choices) assert.equal(chooseLanguage(tags), language, `${tags}`)
})

test('numbers and dates follow the region of the browser for this language', () => {
  assert.equal(localeOf('en', ['de', 'en-GB', 'en-US']), 'en-GB')
  assert.equal(localeOf('pt', ['en-GB']), 'pt-BR')
})
