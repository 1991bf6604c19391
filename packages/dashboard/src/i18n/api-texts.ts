/* The API speaks English. These are its messages in the language of the reader, where there is a translation. */

import type { errors, problems } from './de.ts'
import { readGroup } from './texts.ts'

/** The groups that only languages other than English have. */
export type ApiTexts = { errors: typeof errors; problems: typeof problems }

/** What an error code means. Undefined if there is no translation, and in English, whose own messages are more precise. */
export function errorByCode(code: string): string | undefined {
  const text = readGroup('errors')?.[code]
  return typeof text === 'string' ? text : undefined
}

/** A problem of a field or a file, or the same message if there is no translation. */
export function problemText(message: string): string {
  for (const [english, text] of Object.entries(readGroup('problems') ?? {})) {
    const values = matchOf(english, message)
    if (values !== undefined && typeof text === 'string') {
      return text.replaceAll(NAME, (_, name: string) => values.get(name) ?? '')
    }
  }
  return message
}

const NAME = /\{(\w+)\}/g

/** The values that stand in place of the names in braces. Undefined if it is another message. */
function matchOf(english: string, message: string): Map<string, string> | undefined {
  const source = english.replaceAll(/[.*+?^$()|[\]\\/]/g, '\\$&').replaceAll(NAME, '(.+)')
  // Braces of the message itself, such as those of JSON, are taken literally without the flag `u`.
  const [, ...values] = new RegExp(`^${source}$`, 's').exec(message) ?? [undefined]
  const names = [...english.matchAll(NAME)].map(([, name = '']) => name)
  if (message !== english && values.length === 0) return undefined
  return new Map(names.map((name, index) => [name, values[index] ?? '']))
}
