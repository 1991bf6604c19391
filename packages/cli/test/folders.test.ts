import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Asset } from '@stowage/client'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { aService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { aCli } from './support/cli.ts'

const FILES: Record<string, string> = {
  'course/notes.txt': 'the first notes',
  'course/week 1/notes.txt': 'other notes',
  'course/week 1/film.mp4': 'a film',
  'loose.txt': 'in no folder',
}

/** A service with the files above, uploaded with the CLI. */
async function anUploadedCourse(t: TestContext) {
  const { baseUrl, call } = await aService(t)
  const cli = await aCli(t, baseUrl)
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(join(cli.folder, path, '..'), { recursive: true })
    await writeFile(join(cli.folder, path), text)
  }
  const { code, stdout, stderr } = await cli.run('upload', 'course', 'loose.txt')
  assert.equal(code, 0, stderr)
  return { cli, call, stdout, run: cli.run }
}

async function treeOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true })).toSorted()
  const files: Record<string, string> = {}
  for (const name of names) {
    const path = join(folder, name)
    if ((await stat(path)).isFile()) files[name] = await readFile(path, 'utf8')
  }
  return files
}

test('upload keeps the folders, ls and show show them, and get rebuilds them', async (t) => {
  const { cli, call, run, stdout } = await anUploadedCourse(t)
  assert.match(stdout, /course\/notes\.txt\n/)
  const { data } = (await call('GET', `${API}/assets?sort=filename`)).body
  const names = data.map(({ path, filename }: Asset) => join(path ?? '', filename))
  assert.deepEqual(names.toSorted(), Object.keys(FILES).toSorted())
  const listed = await run('ls', '--path', 'course/week 1/', '--sort', 'name')
  assert.match(
    listed.stdout,
    /^ID +NAME +PATH +SIZE[^\n]*\n\S+ +film\.mp4 +course\/week 1 [^\n]*\n/,
  )
  assert.equal(listed.stdout.trimEnd().split('\n').length, 3)
  const ambiguous = await run('show', 'notes.txt')
  for (const name of ['course/notes.txt', 'course/week 1/notes.txt']) {
    assert.ok(ambiguous.stderr.includes(`  ${name}  `), ambiguous.stderr)
  }
  const shown = await run('show', data[0].id)
  assert.match(shown.stdout, /path +course\/week 1\n/)

  const copied = await run('get', '--all', '--into', 'copy')
  assert.deepEqual([copied.code, copied.stderr], [0, '4 downloaded, 0 skipped, 0 failed.\n'])
  assert.deepEqual(await treeOf(join(cli.folder, 'copy')), FILES)
  const again = await run('get', '--all', '--into', 'copy', '--path', 'course', '--json')
  assert.match(again.stderr, /^0 downloaded, 3 skipped, 0 failed\.\n$/)
  const lines = again.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.ok(lines.every(({ skipped, path }) => skipped && path.startsWith(join('copy', 'course'))))
  await mkdir(join(cli.folder, 'other/loose.txt'), { recursive: true })
  const blocked = await run('get', '--all', '--into', 'other')
  assert.match(blocked.stderr, /loose\.txt already exists, and is a folder\. Move it\.$/m)
})

test('get --all overwrites no file, saves assets with the same name as different files, and stays in its folder', async (t) => {
  const { cli, run } = await anUploadedCourse(t)
  await run('upload', '--again', '--path', 'course', 'loose.txt', 'course/notes.txt')
  const copy = join(cli.folder, 'copy')
  const outside = await aFolder(t)
  await mkdir(join(copy, 'course'), { recursive: true })
  await writeFile(join(copy, 'loose.txt'), 'mine')
  await symlink(outside, join(copy, 'course/week 1'))
  const { code, stderr } = await run('get', '--all', '--into', 'copy')
  assert.equal(code, 1)
  assert.match(stderr, /loose\.txt already exists, with 4 bytes instead of 12\. .* --force/)
  assert.match(stderr, /week 1 is a symbolic link that points outside of copy\. /)
  assert.match(stderr, /3 downloaded, 0 skipped, 3 failed\./)
  assert.deepEqual(await readdir(outside), [])
  const tree = await treeOf(copy)
  assert.equal(tree['loose.txt'], 'mine')
  const names = Object.keys(tree).filter((name) => name.startsWith('course/notes'))
  assert.equal(names.length, 2)
  assert.match(names.join(' '), /course\/notes \([0-9a-f-]{36}\)\.txt course\/notes\.txt/)
  await rm(join(copy, 'loose.txt'))
  await symlink(outside, join(copy, 'loose.txt'))
  const forced = await run('get', '--all', '--into', 'copy', '--force')
  assert.match(forced.stderr, /loose\.txt already exists, and is a folder\. Move it\.$/m)
  assert.deepEqual(await readdir(outside), [])
  const unmatched = await run('get', '--all', '--into', 'copy', '--sku', 'NONE')
  assert.deepEqual([unmatched.code, unmatched.stderr], [0, 'No file matches.\n'])
})

test('invalid combinations of options are refused before any request is sent', async (t) => {
  const { run } = await aCli(t, 'http://127.0.0.1:9')
  for (const words of [
    ['--all'],
    ['--all', 'a.zip', '--into', 'x'],
    ['--all', '-o', 'x'],
    ['a.zip', '--into', 'x'],
    ['a.zip', '--path', 'x'],
    [],
  ]) {
    assert.equal((await run('get', ...words)).code, 2, words.join(' '))
  }
})

test('a folder that is given to an upload is refused, and not changed, if the service does not accept it', async (t) => {
  const { run } = await anUploadedCourse(t)
  for (const path of ['../x', 'a/../b', 'a'.repeat(256), `${'a/'.repeat(256)}b`]) {
    const { code, stderr } = await run('upload', '--again', '--path', path, 'loose.txt')
    assert.deepEqual(
      [code, stderr.split('\n')[0]?.slice(0, 37)],
      [2, 'stowage: --path must be a folder such'],
    )
  }
  const { stdout } = await run('upload', '--again', '--path', './a//b/', 'loose.txt')
  assert.match(stdout, / a\/b\/loose\.txt$/m)
})

test('folders are listed, renamed and merged', async (t) => {
  const { run } = await anUploadedCourse(t)
  const top = await run('folders', 'ls')
  assert.match(top.stdout, /course +3 +yes/)
  const below = await run('folders', 'ls', 'course', '--json')
  assert.deepEqual(JSON.parse(below.stdout), [
    {
      name: 'week 1',
      path: 'course/week 1',
      assets: 2,
      assets_is_exact: true,
      has_folders: false,
    },
  ])
  const none = await run('folders', 'ls', 'other')
  assert.deepEqual([none.code, none.stderr], [0, 'No results.\n'])

  const moved = await run('folders', 'mv', 'course/week 1', 'course/week 2')
  assert.deepEqual(
    [moved.code, moved.stdout],
    [0, 'course/week 1 moved to course/week 2 (2 assets)\n'],
  )
  const refused = await run('folders', 'mv', 'course/week 2', 'course')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /--merge/)
  const merged = await run('folders', 'mv', 'course/week 2', 'course', '--merge', '--json')
  assert.equal(JSON.parse(merged.stdout).moved, 2)
  const gone = await run('folders', 'mv', 'course/week 2', 'x')
  assert.match(gone.stderr, /There is no folder course\/week 2/)
  for (const [flags, message] of [
    [[], /Pass ls or mv/],
    [['rm'], /Unknown command folders rm/],
    [['mv', 'a'], /No new folder given/],
    [['mv'], /No folder given/],
    [['ls', 'a', 'b'], /Unexpected argument: b/],
  ] as const) {
    const { code, stderr } = await run('folders', ...flags)
    assert.equal(code, 2)
    assert.match(stderr, message)
  }
})

test('get --zip downloads a folder as one archive, and refuses other targets', async (t) => {
  const { cli, run } = await anUploadedCourse(t)
  const { code, stdout, stderr } = await run('get', '--zip', 'a.zip', '--all', '--path', 'course')
  assert.deepEqual([code, stdout], [0, 'a.zip\n'], stderr)
  const bytes = await readFile(join(cli.folder, 'a.zip'))
  for (const [path, text] of Object.entries(FILES)) {
    assert.equal(bytes.includes(`${path}`), path.startsWith('course/'), path)
    assert.equal(bytes.includes(text), path.startsWith('course/'), path)
  }
  const again = await run('get', '--zip', 'a.zip', 'loose.txt')
  assert.equal(again.code, 1)
  assert.match(again.stderr, /a\.zip already exists/)
  const named = await run('get', '--zip', 'a.zip', 'loose.txt', '--force')
  assert.equal(named.code, 0, named.stderr)
  assert.ok((await readFile(join(cli.folder, 'a.zip'))).includes('in no folder'))
  const wrong = await run('get', '--zip', 'a.zip', 'loose.txt', '--into', 'b')
  assert.deepEqual([wrong.code, wrong.stderr.includes('Pass either --zip or --into.')], [2, true])
})
