import { invalid } from '../domain/errors.ts'
import {
  MAIL_KINDS,
  type MailKind,
  type MailSettings,
  type MailText,
  type MailTexts,
  NO_MAIL_SETTINGS,
} from '../domain/mail.ts'
import {
  LANGUAGES,
  MAX_PARAGRAPHS,
  maxUsesOf,
  PLACEHOLDERS,
  placeholdersOf,
  REQUIRED,
  WORDS,
} from '../mail/texts.ts'
import type { AccountContext } from './context.ts'

export interface ListedText extends MailText {
  kind: MailKind
  language: string
  /** Whether it is the text of the service. */
  isDefault: boolean
}

export interface TextsOfAccount {
  replyTo: string | null
  texts: ListedText[]
}

export async function readMailTexts({ data }: AccountContext): Promise<TextsOfAccount> {
  return present((await data.findMailSettings()) ?? NO_MAIL_SETTINGS)
}

function present({ replyTo, texts }: MailSettings): TextsOfAccount {
  const all = MAIL_KINDS.flatMap((kind) =>
    LANGUAGES.map((language): ListedText => {
      const own = texts[kind]?.[language]
      const { subject, text } = own ?? WORDS[language].texts[kind]
      return { kind, language, subject, text, isDefault: own === undefined }
    }),
  )
  return { replyTo, texts: all }
}

export interface TextsChange {
  replyTo?: string | null | undefined
  /** null restores the text of the service. */
  texts?: Partial<Record<MailKind, Partial<Record<string, MailText | null>>>> | undefined
}

/** Missing texts keep their values. */
export async function changeMailTexts(
  { data }: AccountContext,
  { replyTo, texts = {} }: TextsChange,
): Promise<TextsOfAccount> {
  const errors: Record<string, string[]> = {}
  for (const [kind, byLanguage = {}] of Object.entries(texts)) {
    for (const [language, own] of Object.entries(byLanguage)) {
      if (own)
        Object.assign(errors, problemsOf(kind as MailKind, own, `texts.${kind}.${language}.`))
    }
  }
  if (Object.keys(errors).length > 0) throw invalid(errors, { areWireNames: true })
  const settings = await data.changeMailSettings((before) => ({
    replyTo: replyTo === undefined ? before.replyTo : replyTo,
    texts: merge(before.texts, texts),
  }))
  return present(settings)
}

/** Throws if a text has a wrong placeholder. */
export function checkText(kind: MailKind, own: Partial<MailText>): void {
  const errors = problemsOf(kind, own, '')
  if (Object.keys(errors).length > 0) throw invalid(errors, { areWireNames: true })
}

function problemsOf(
  kind: MailKind,
  { subject, text }: Partial<MailText>,
  path: string,
): Record<string, string[]> {
  const known = PLACEHOLDERS[kind]
  const list = known.map((name) => `{${name}}`).join(', ')
  const errors: Record<string, string[]> = {}
  for (const [field, value = ''] of Object.entries({ subject, text })) {
    const used = Map.groupBy(placeholdersOf(value), (name) => name)
    const wrong = [...used.keys()].filter((name) => !known.includes(name))
    const names = wrong.map((name) => `{${name}}`).join(', ')
    const frequent = known.find((name) => (used.get(name)?.length ?? 0) > maxUsesOf(name))
    if (wrong.length > 0) {
      errors[`${path}${field}`] = [`has unknown placeholders: ${names}. Known are ${list}`]
    } else if (frequent !== undefined) {
      const problem = `has the placeholder {${frequent}} too often: at most ${maxUsesOf(frequent)}`
      errors[`${path}${field}`] = [problem]
    }
  }
  const field = `${path}text`
  const paragraphs = (text ?? '').split(/\n{2,}/).length
  if (paragraphs > MAX_PARAGRAPHS) {
    errors[field] ??= [`has ${paragraphs} paragraphs; at most ${MAX_PARAGRAPHS} are possible`]
  }
  const required = REQUIRED[kind]
  const isMissing = text !== undefined && !placeholdersOf(text).includes(required)
  if (isMissing && errors[field] === undefined) {
    errors[field] = [`must have the placeholder {${required}}, so that buyers find their files`]
  }
  return errors
}

function merge(before: MailTexts, changes: NonNullable<TextsChange['texts']>): MailTexts {
  const merged = structuredClone(before)
  for (const kind of MAIL_KINDS) {
    const own = { ...merged[kind] }
    for (const [language, text] of Object.entries(changes[kind] ?? {})) {
      if (text === null) delete own[language]
      else if (text !== undefined) own[language] = text
    }
    merged[kind] = own
  }
  return merged
}

/** The placeholders that the texts of each kind may have. */
export function placeholdersByKind(): Record<MailKind, string[]> {
  const entries = MAIL_KINDS.map((kind) => [kind, [...PLACEHOLDERS[kind]]])
  return Object.fromEntries(entries)
}
