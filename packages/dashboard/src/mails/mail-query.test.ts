import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailFilters, mailsUrl, readMailQuery } from './mail-query.ts'

const ID = '0198b5a2-0000-7000-8000-000000000000'

test('the URL of the outbox has only what differs from the defaults, and is read back', () => {
  const query = { state: 'failed', kind: 'links', order: ID, notice: '', page: 2 } as const
  const url = mailsUrl(query)
  assert.equal(url, `/mails?state=failed&kind=links&order=${ID}&page=2`)
  assert.deepEqual(readMailQuery(url.slice(url.indexOf('?'))), query)
  assert.equal(mailsUrl(readMailQuery('')), '/mails')
})

test('invalid parameters in the URL of the outbox get their defaults', () => {
  const query = readMailQuery('?state=lost&kind=spam&order=1&notice=x&page=0')
  assert.deepEqual(query, { state: '', kind: '', order: '', notice: '', page: 1 })
  assert.deepEqual(mailFilters(query), {})
})
