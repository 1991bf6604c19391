import type { common as English } from '../en/common.ts'
import type { Translation } from '../texts.ts'

export const common: Translation<typeof English> = {
  language: 'Idioma',
  languageFailed: 'Não foi possível carregar este idioma',
}
