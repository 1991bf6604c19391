import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { spareRoomBeside } from './spare-file.ts'

test('the spare room is given once, and kept again afterwards', async (t) => {
  const file = join(await aFolder(t), 'stowage.db')
  const room = spareRoomBeside(file)
  assert.equal(room.release(), false)
  for (let round = 0; round < 2; round += 1) {
    await room.keep()
    await room.keep()
    const { size, blocks } = await stat(`${file}-spare`)
    assert.equal(size, 8 * 1024 * 1024)
    assert.ok(blocks * 512 >= size, 'it takes room on the disk')
    assert.deepEqual([room.release(), room.release()], [true, false])
  }
})
