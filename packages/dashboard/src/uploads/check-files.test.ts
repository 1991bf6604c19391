import assert from 'node:assert/strict'
import { test } from 'node:test'
import { divideByStorage, withoutSame } from './check-files.ts'
import type { PickedFile } from './picked-file.ts'

const aFile = (name: string, size: number): PickedFile => ({
  file: { name, size, lastModified: 0 } as File,
  folder: '',
  attach: undefined,
})
const large = aFile('large', 70)
const small = aFile('small', 40)
const tiny = aFile('tiny', 5)
const namesOf = (files: readonly PickedFile[]) => files.map(({ file }) => file.name).join()

test('of the chosen files, each one that the remaining storage has room for is accepted', () => {
  const divide = (files: PickedFile[], available: number) => {
    const { accepted, refused } = divideByStorage(files, available)
    return [namesOf(accepted), namesOf(refused)]
  }
  assert.deepEqual(divide([large, small, tiny], 80), ['large,tiny', 'small'])
  assert.deepEqual(divide([large], 70), ['large', ''])
  assert.deepEqual(divide([large], 69), ['', 'large'])
})

test('a file that was chosen again is the same file, and a file of another folder is not', () => {
  const other = { ...aFile('large', 70), folder: 'course' }
  assert.equal(namesOf(withoutSame([large, small], [aFile('large', 70)])), 'small')
  assert.equal(namesOf(withoutSame([large, small], [other])), 'large,small')
})
