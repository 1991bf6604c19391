import { parseSize } from '@stowage/protocol/format'
import { invalid } from '../../errors.ts'

export function parseLinkSize(size: number | string | undefined): number | undefined {
  if (typeof size !== 'string') return size
  const bytes = parseSize(size)
  if (bytes === undefined) {
    throw invalid({ size: ['must be a number of bytes, or a string such as 10MB or 1.5 GB'] })
  }
  return bytes
}
