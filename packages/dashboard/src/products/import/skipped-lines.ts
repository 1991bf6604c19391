import { countText } from '../../format/count-text.ts'
import type { Preview } from './preview.ts'

/** `3 lines`: a line may have several problems. */
export function skippedLines({ problems, format }: Pick<Preview, 'problems' | 'format'>): string {
  const count = new Set(problems.map(({ line }) => line)).size
  return format === 'csv' ? countText(count, 'line') : countText(count, 'entry', 'entries')
}
