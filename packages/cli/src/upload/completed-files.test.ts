import assert from 'node:assert/strict'
import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { openCompletedFiles } from './completed-files.ts'

const fileAt = (path: string) => ({ path, label: path, name: 'a.txt', size: 1, changedMs: 1000.5 })

test('a record is found by service, path and name, if size and time are unchanged', async (t) => {
  const folder = await aFolder(t)
  const completed = openCompletedFiles('http://one.example', folder)
  const file = fileAt('/course/a.txt')
  await completed.add(file, 'id')
  assert.equal(await completed.find(file), 'id')
  assert.equal(await openCompletedFiles('http://two.example', folder).find(file), undefined)
  assert.equal(await completed.find(fileAt('/other/a.txt')), undefined)
  assert.equal(await completed.find({ ...file, name: 'b.txt' }), undefined)
  assert.equal(await completed.find({ ...file, changedMs: 1000.6 }), undefined)
})

test('if there are too many records, the oldest are removed', async (t) => {
  const folder = await aFolder(t)
  const completed = openCompletedFiles('http://one.example', folder, 10)
  const files = Array.from({ length: 11 }, (_, index) => fileAt(`/course/${index}/a.txt`))
  for (const [index, file] of files.entries()) {
    const before = new Set(await readdir(folder))
    await completed.add(file, `${index}`)
    const added = (await readdir(folder)).find((name) => !before.has(name)) ?? ''
    await utimes(join(folder, added), index, index)
  }
  await completed.prune()
  const found = await Promise.all(files.map((file) => completed.find(file)))
  const kept = ['2', '3', '4', '5', '6', '7', '8', '9', '10']
  assert.deepEqual(found, [undefined, undefined, ...kept])
  await completed.prune()
  assert.equal((await readdir(folder)).length, 9)
})
