import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { someBytes } from '@stowage/testing/service/upload'
import {
  combineCrc32,
  descriptor,
  descriptorLength,
  directoryEntry,
  directoryEntryLength,
  endLength,
  endRecords,
  localHeader,
  localHeaderLength,
} from './zip.ts'

const GB4 = 0xffff_ffff

test('each record has the length that was calculated for it', () => {
  for (const size of [0, 1, GB4 - 1, GB4, 2 ** 45]) {
    for (const hasDescriptor of [false, true]) {
      for (const offset of [0, GB4 - 1, GB4, 2 ** 50]) {
        const entry = { name: 'ä/b.txt', size, modifiedAt: 1_700_000_000, hasDescriptor }
        assert.equal(localHeader(entry, 1).length, localHeaderLength(entry))
        const length = hasDescriptor ? descriptor(entry, 1).length : 0
        assert.equal(length, descriptorLength(entry))
        assert.equal(directoryEntry(entry, 1, offset).length, directoryEntryLength(entry, offset))
      }
    }
  }
  for (const entries of [1, 65_534, 65_535]) {
    for (const start of [0, GB4 - 1, GB4]) {
      const directory = { entries, start, length: 50 }
      const expected = entries === 65_535 || start === GB4 ? 98 : 22
      assert.equal(endRecords(directory).length, expected)
      assert.equal(endLength(directory), expected)
    }
  }
})

test('times before 1980 and after 2107 become the nearest that the format has', () => {
  for (const [modifiedAt, date] of [
    [-1, 0x21],
    [0, 0x21],
    [5_000_000_000, (2128 - 2128 + 127) << 9],
  ] as const) {
    const header = localHeader({ name: 'a', size: 1, modifiedAt, hasDescriptor: false }, 0)
    assert.equal(header.readUInt16LE(12) & 0xfe00, date & 0xfe00)
  }
})

test('the CRC-32 of two texts in a row is calculated from that of each', () => {
  const bytes = someBytes(100_000)
  for (const length of [0, 1, 7, 4096, 99_999, 100_000]) {
    const [first, second] = [bytes.subarray(0, length), bytes.subarray(length)]
    const combined = combineCrc32(crc32(first), crc32(second), second.length)
    assert.equal(combined, crc32(bytes))
  }
})
