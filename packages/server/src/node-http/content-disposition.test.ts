import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attachmentNamed } from './content-disposition.ts'

test('the name is sent in UTF-8, with an ASCII fallback for old clients', () => {
  assert.equal(
    attachmentNamed('Crème "100%" (1).pdf'),
    `attachment; filename="Cre_me _100__ (1).pdf"; filename*=UTF-8''Cr%C3%A8me%20%22100%25%22%20%281%29.pdf`,
  )
})

test('no name can end the header or add another one', () => {
  const header = attachmentNamed('a"; filename="b\r\nSet-Cookie: x')
  assert.doesNotMatch(header, /[\r\n]/)
  assert.equal(header.match(/"/g)?.length, 2)
})
