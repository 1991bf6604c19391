import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { openSpareFile } from './spare-file.ts'

test('the spare file can be released once, and allocated again afterward', async (t) => {
  const file = join(await aFolder(t), 'stowage.db')
  const spareFile = openSpareFile(file)
  assert.equal(spareFile.release(), false)
  for (let round = 0; round < 2; round += 1) {
    await spareFile.allocate()
    await spareFile.allocate()
    const { size, blocks } = await stat(`${file}-spare`)
    assert.equal(size, 8 * 1024 * 1024)
    assert.ok(blocks * 512 >= size, 'it occupies disk space')
    assert.deepEqual([spareFile.release(), spareFile.release()], [true, false])
  }
})
