import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { quoted, resumeCommand } from './check-upload.ts'

const LOCATION = { folder: '/srv/media', program: 'stowage' }
const COMMAND = { inputs: ['a.mp4'], attach: [], name: undefined, url: undefined, hasKey: false }

const NOT_ON_WINDOWS = {
  skip: process.platform === 'win32' && 'Windows has other paths and shells',
}

test(
  'the resume command works from any folder and does not contain the key',
  NOT_ON_WINDOWS,
  () => {
    assert.equal(resumeCommand(COMMAND, LOCATION), 'stowage upload /srv/media/a.mp4')
    const command = {
      inputs: ['/x/my course.mp4', '*.wav'],
      attach: ['PACK-WAV', "it's"],
      name: 'b.mp4',
      url: 'https://files.example',
      hasKey: true,
    }
    assert.equal(
      resumeCommand(command, LOCATION),
      `stowage upload '/x/my course.mp4' '/srv/media/*.wav' --attach PACK-WAV --attach 'it'\\''s' --name b.mp4 --url https://files.example --key …`,
    )
  },
)

test('there is no resume command for more than 20 files', () => {
  const inputs = Array.from({ length: 21 }, (_, index) => `${index}.wav`)
  assert.equal(resumeCommand({ ...COMMAND, inputs }, LOCATION), undefined)
})

test('a shell reads every quoted name unchanged', NOT_ON_WINDOWS, () => {
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

test('on Windows, names with spaces are quoted for its shells', () => {
  assert.equal(quoted('C:\\files\\pack.zip', 'win32'), 'C:\\files\\pack.zip')
  assert.equal(quoted('C:\\my files\\pack.zip', 'win32'), '"C:\\my files\\pack.zip"')
})
