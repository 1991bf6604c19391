import type { common as English } from '../en/common.ts'
import type { Translation } from '../texts.ts'

export const common: Translation<typeof English> = {
  language: 'Langue',
  languageFailed: 'Impossible de charger cette langue',
}
