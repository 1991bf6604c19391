import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDuration, formatSize } from '@stowage/protocol/format'
import { durationText, shareText, sizeText } from './format.ts'
import * as de from './i18n/de.ts'
import * as fr from './i18n/fr.ts'
import { showLanguage } from './i18n/texts.ts'

test('a share is a whole percentage that is never rounded down to 0% or up to 100%', () => {
  const shares = [0, 1, 10, 424, 995, 999, 1000, 1500].map((part) => shareText(part, 1000))
  assert.deepEqual(shares, ['0%', '< 1%', '1%', '42%', '> 99%', '> 99%', '100%', '150%'])
  assert.equal(shareText(0, 0), '0%')
})

test('sizes and durations are those of the API in English, and written as in the language otherwise', (t) => {
  t.after(() => showLanguage('en', 'en-US'))
  for (const bytes of [0, 999, 1_234_567, 999_960, 5e12, 7e17])
    assert.equal(sizeText(bytes), formatSize(bytes))
  for (const ms of [0, 1, 45_000, 5_400_000, 604_800_000])
    assert.equal(durationText(ms), formatDuration(ms))
  showLanguage('fr', 'fr', fr)
  assert.equal(sizeText(1_234_567), '1,2 Mo')
  assert.equal(shareText(424, 1000).replaceAll(/\s/g, ' '), '42 %')
  showLanguage('de', 'de', de)
  assert.equal(sizeText(1_234_567), '1,2 MB')
  assert.equal(durationText(604_800_000), '7 Tage')
})
