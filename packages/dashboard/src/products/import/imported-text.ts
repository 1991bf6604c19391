import { countText, numberText } from '../../format/count-text.ts'
import { changesOf, type Preview } from './preview.ts'
import { skippedLines } from './skipped-lines.ts'

/** `117 products imported`, or `117 imported, 3 lines skipped`. */
export function importedText(preview: Preview): string {
  const count = changesOf(preview).length
  if (preview.problems.length === 0) return `${countText(count, 'product')} imported`
  return `${numberText(count)} imported, ${skippedLines(preview)} skipped`
}
