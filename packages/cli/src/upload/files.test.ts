import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { type TestContext, test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { CommandFailed } from '../usage.ts'
import { collectFiles } from './files.ts'

async function aTree(t: TestContext): Promise<string> {
  const folder = await aFolder(t)
  const names = [
    'a.zip',
    'b.wav',
    'sub/c.wav',
    'sub/deep/d.txt',
    '.hidden',
    'sub/.DS_Store',
    '[x].wav',
    'two\nlines',
  ]
  await mkdir(join(folder, 'sub/deep'), { recursive: true })
  for (const name of names) await writeFile(join(folder, name), name)
  return folder
}

async function pathsOf(folder: string, ...inputs: string[]): Promise<string[]> {
  const { files } = await collectFiles(inputs.map((input) => join(folder, input)))
  return files.map(({ path }) => relative(folder, path))
}

test('all files of a folder are collected, except hidden ones', async (t) => {
  const folder = await aTree(t)
  const { files, skipped } = await collectFiles([folder])
  assert.deepEqual(
    files.map(({ name }) => name),
    ['[x].wav', 'a.zip', 'b.wav', 'c.wav', 'd.txt', 'two_lines'],
  )
  assert.deepEqual(
    skipped.map((path) => relative(folder, path)),
    ['.hidden', 'sub/.DS_Store'],
  )
})

test('a hidden file is collected if it is named', async (t) => {
  assert.deepEqual(await pathsOf(await aTree(t), '.hidden'), ['.hidden'])
})

test('patterns are expanded, but an existing file with such a name takes precedence', async (t) => {
  const folder = await aTree(t)
  assert.deepEqual(await pathsOf(folder, '*.wav'), ['[x].wav', 'b.wav'])
  assert.deepEqual(await pathsOf(folder, '**/*.wav'), ['[x].wav', 'b.wav', 'sub/c.wav'])
  assert.deepEqual(await pathsOf(folder, '{a,b}.*'), ['a.zip', 'b.wav'])
  assert.deepEqual(await pathsOf(folder, '[x].wav'), ['[x].wav'])
})

test('a file that is named twice is collected once', async (t) => {
  assert.deepEqual(await pathsOf(await aTree(t), 'a.zip', './a.zip', 'sub/../a.zip', 'a.*'), [
    'a.zip',
  ])
})

test('a symlink to a parent folder is not followed endlessly', async (t) => {
  const folder = await aTree(t)
  await symlink(folder, join(folder, 'sub/again'))
  assert.equal((await collectFiles([folder])).files.length, 6)
})

test('all missing files are reported together', async (t) => {
  const folder = await aTree(t)
  await assert.rejects(pathsOf(folder, 'no.zip', 'a.zip', '*.nothing'), (error) => {
    assert.ok(error instanceof CommandFailed)
    assert.match(error.message, /no\.zip does not exist; no file matches .*\*\.nothing/)
    return true
  })
})

test('a URL is refused with a way to send its content', async () => {
  await assert.rejects(collectFiles(['https://x/a.zip']), /a\.zip is a URL \(send its content/)
})

test('a file keeps the folders below its input, starting with the name of an input folder', async (t) => {
  const root = join(await aFolder(t), 'course')
  for (const name of ['a.txt', 'week 1/b.txt', 'week 1/deep/c.txt']) {
    await mkdir(join(root, name, '..'), { recursive: true })
    await writeFile(join(root, name), '')
  }
  const foldersOf = async (input: string, under?: string) => {
    const { files } = await collectFiles([join(root, input)], { under })
    return files.map(({ folder }) => folder)
  }
  assert.deepEqual(await foldersOf('.'), ['course', 'course/week 1', 'course/week 1/deep'])
  assert.deepEqual(await foldersOf('week 1/'), ['week 1', 'week 1/deep'])
  assert.deepEqual(await foldersOf('week 1/b.txt'), [undefined])
  assert.deepEqual(await foldersOf('*/*.txt'), ['week 1'])
  assert.deepEqual(await foldersOf('**/*.txt'), [undefined, 'week 1', 'week 1/deep'])
  assert.deepEqual(await foldersOf('.', 'x/y'), ['x/y', 'x/y/week 1', 'x/y/week 1/deep'])
  assert.deepEqual(await foldersOf('.', ''), [undefined, 'week 1', 'week 1/deep'])
  assert.deepEqual(await foldersOf('a.txt', 'x'), ['x'])
})
