import type { common as English } from '../en/common.ts'
import type { Translation } from '../texts.ts'

export const common: Translation<typeof English> = {
  language: '言語',
  languageFailed: 'この言語を読み込めませんでした',
}
