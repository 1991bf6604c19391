import { texts } from '../texts.ts'

export const common = texts('common', {
  language: 'Language',
  languageFailed: 'Could not load this language',
})
