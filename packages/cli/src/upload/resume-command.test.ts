import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { quoted, resumeCommand } from './resume-command.ts'

const PLACE = { folder: '/srv/media', program: 'stowage' }
const COMMAND = { inputs: ['a.mp4'], attach: [], name: undefined, url: undefined, hasKey: false }

const ELSEWHERE = { skip: process.platform === 'win32' && 'it has other paths and shells' }

test('it works from any folder, and has everything but the key', ELSEWHERE, () => {
  assert.equal(resumeCommand(COMMAND, PLACE), 'stowage upload /srv/media/a.mp4')
  const command = {
    inputs: ['/x/my course.mp4', '*.wav'],
    attach: ['PACK-WAV', "it's"],
    name: 'b.mp4',
    url: 'https://files.example',
    hasKey: true,
  }
  assert.equal(
    resumeCommand(command, PLACE),
    `stowage upload '/x/my course.mp4' '/srv/media/*.wav' --attach PACK-WAV --attach 'it'\\''s' --name b.mp4 --url https://files.example --key …`,
  )
})

test('with many files the same command is easier to say than to repeat', () => {
  const inputs = Array.from({ length: 21 }, (_, index) => `${index}.wav`)
  assert.equal(resumeCommand({ ...COMMAND, inputs }, PLACE), undefined)
})

test('a shell reads every name back as it is', ELSEWHERE, () => {
  for (const name of [
    "it's",
    'a b',
    '$HOME',
    '`id`',
    'two\nlines',
    '\u001b[2J',
    '*',
    '!x',
    '中文',
    "\\'\t",
  ]) {
    const read = execFileSync('bash', ['-c', `printf %s ${quoted(name, 'linux')}`], {
      encoding: 'utf8',
      env: { LC_ALL: 'C.UTF-8', PATH: process.env.PATH },
    })
    assert.equal(read, name)
  }
})

test('on Windows, names with spaces are quoted as its shells read them', () => {
  assert.equal(quoted('C:\\files\\pack.zip', 'win32'), 'C:\\files\\pack.zip')
  assert.equal(quoted('C:\\my files\\pack.zip', 'win32'), '"C:\\my files\\pack.zip"')
})
