import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkStorage, type StorageShortage } from './check-files.ts'
import type { PickedFile } from './picked-file.ts'

const aFile = (name: string, size: number): PickedFile => ({
  file: { name, size, lastModified: 0 } as File,
  folder: '',
  attach: undefined,
})
const large = aFile('large', 70)
const small = aFile('small', 40)
const tiny = aFile('tiny', 5)

function summaryOf(shortage: StorageShortage | undefined) {
  const namesOf = (files: readonly PickedFile[]) => files.map(({ file }) => file.name).join()
  if (shortage === undefined) return undefined
  const { files, fitting, needed, available } = shortage
  return [namesOf(files), namesOf(fitting), needed, available]
}

test('if the plan has no room for all files, all are rejected, and the result lists those that would fit', () => {
  const result = checkStorage({ files: [large, small], previous: undefined, available: 100 })
  assert.deepEqual(result.accepted, [])
  assert.deepEqual(summaryOf(result.shortage), ['large,small', 'large', 110, 100])
  const exact = checkStorage({ files: [large], previous: undefined, available: 70 })
  assert.equal(exact.shortage, undefined)
})

test('rejected files stay rejected when others are accepted, and the result has the remaining storage', () => {
  const { shortage: previous } = checkStorage({
    files: [large, small],
    previous: undefined,
    available: 73,
  })
  const result = checkStorage({ files: [tiny], previous, available: 73 })
  assert.deepEqual(result.accepted, [tiny])
  assert.deepEqual(summaryOf(result.shortage), ['large,small', 'small', 110, 68])
})

test('files that are rejected one after the other are listed together, each of them once', () => {
  const { shortage: previous } = checkStorage({
    files: [large],
    previous: undefined,
    available: 10,
  })
  const result = checkStorage({ files: [aFile('large', 70), small], previous, available: 10 })
  assert.deepEqual(summaryOf(result.shortage), ['large,small', '', 110, 10])
})

test('a rejected file that is accepted later is no longer listed', () => {
  const { shortage: previous } = checkStorage({
    files: [large],
    previous: undefined,
    available: 10,
  })
  const result = checkStorage({ files: [aFile('large', 70)], previous, available: 80 })
  assert.equal(result.accepted.length, 1)
  assert.equal(result.shortage, undefined)
})
