import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localName } from './download-to.ts'

test('the file name of an asset cannot lead out of the folder', () => {
  const names = ['../../up.zip', '..\\up.zip', '..', '.', 'a/b.zip']
  const local = names.map((name) => localName(name, 'linux'))
  assert.deepEqual(local, ['up.zip', '.._up.zip', '_', '_', 'b.zip'])
})

test('characters and names that Windows reserves are replaced there', () => {
  const names = ['a:b.zip', 'what?.txt', 'CON', 'nul.txt', 'com1.log', 'dots...', 'console.txt']
  const local = names.map((name) => localName(name, 'win32'))
  const expected = ['a_b.zip', 'what_.txt', '_CON', '_nul.txt', '_com1.log', 'dots_', 'console.txt']
  assert.deepEqual(local, expected)
  assert.equal(localName('what?: CON', 'linux'), 'what?: CON')
})
