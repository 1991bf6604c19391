import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRoom, type Refusal } from './check-storage.ts'

const aFile = (name: string, size: number) => ({ name, size, lastModified: 0 }) as File
const large = aFile('large', 70)
const small = aFile('small', 40)
const tiny = aFile('tiny', 5)

function told(refusal: Refusal | undefined) {
  const namesOf = (files: readonly File[]) => files.map(({ name }) => name).join()
  if (refusal === undefined) return undefined
  const { files, fitting, needed, available } = refusal
  return [namesOf(files), namesOf(fitting), needed, available]
}

test('files that there is no room for are refused as a whole, and those that fit are named', () => {
  const room = findRoom({ files: [large, small], refused: undefined, available: 100 })
  assert.deepEqual(room.taken, [])
  assert.deepEqual(told(room.refusal), ['large,small', 'large', 110, 100])
  assert.equal(findRoom({ files: [large], refused: undefined, available: 70 }).refusal, undefined)
})

test('what was refused stays so when others are taken, in the room that they leave', () => {
  const { refusal: refused } = findRoom({
    files: [large, small],
    refused: undefined,
    available: 73,
  })
  const room = findRoom({ files: [tiny], refused, available: 73 })
  assert.deepEqual(room.taken, [tiny])
  assert.deepEqual(told(room.refusal), ['large,small', 'small', 110, 68])
})

test('what is refused one after the other is refused together, each file once', () => {
  const { refusal: refused } = findRoom({ files: [large], refused: undefined, available: 10 })
  const room = findRoom({ files: [aFile('large', 70), small], refused, available: 10 })
  assert.deepEqual(told(room.refusal), ['large,small', '', 110, 10])
})

test('what was refused and is taken now is refused no more', () => {
  const { refusal: refused } = findRoom({ files: [large], refused: undefined, available: 10 })
  const room = findRoom({ files: [aFile('large', 70)], refused, available: 80 })
  assert.equal(room.taken.length, 1)
  assert.equal(room.refusal, undefined)
})
