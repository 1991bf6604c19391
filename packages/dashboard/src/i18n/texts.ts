/*
 * The texts of the dashboard in the language of the reader. Each folder of `src` has a group of texts, and each language
 * has a file for each group. English is part of the scripts that use it; other languages are loaded by language.ts.
 */

import { createElement, Fragment, type ReactNode } from 'react'

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'ja'] as const
export type Language = (typeof LANGUAGES)[number]

/** A text for each category of numbers that the language has (`Intl.PluralRules`). `{count}` is the number. */
export type Plural = { readonly other: string } & {
  readonly [Category in Exclude<Intl.LDMLPluralRule, 'other'>]?: string
}

type Group = { readonly [name: string]: string | Plural | Group }

/** The same names as in English, with other texts. */
export type Translation<English> = {
  readonly [Name in keyof English]: English[Name] extends string
    ? string
    : English[Name] extends Plural
      ? Plural
      : Translation<English[Name]>
}

/** The groups of one language. */
export type Catalog = Readonly<Record<string, Group>>

const state: {
  language: Language
  /** The language with the region of the reader, such as `en-GB`: it decides how numbers and dates are written. */
  locale: string
  catalog: Catalog
} = { language: 'en', locale: 'en-US', catalog: {} }

/** Every group that is in use, in English and in the current language. */
const groups = new Map<string, { english: Group; current: Group }>()
const listeners = new Set<() => void>()

/**
 * A group of texts, in English. Its properties change with the language, so read them while rendering or when they are
 * needed, never when a module is loaded.
 */
export function texts<const English extends Group>(name: string, english: English): English {
  const current = { ...english, ...state.catalog[name] }
  groups.set(name, { english, current })
  return current
}

/** Changes all groups. Without a catalog, they are English. */
export function showLanguage(language: Language, locale: string, catalog: Catalog = {}): void {
  Object.assign(state, { language, locale, catalog })
  for (const [name, { english, current }] of groups)
    Object.assign(current, { ...english, ...catalog[name] })
  for (const listener of listeners) listener()
}

/** A group of the current language. Undefined in English, whose groups are only known to the scripts that use them. */
export function readGroup(name: string): Group | undefined {
  return state.catalog[name]
}

export function readLanguage(): Language {
  return state.language
}

export function readLocale(): string {
  return state.locale
}

/** Calls the listener after each change of the language. Returns a function that removes the listener. */
export function onLanguage(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The names in braces: `name` and `folder` in `{name} in {folder}`. */
type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type Values<Text, Value> = Readonly<Record<Names<Text>, Value>>

/** Replaces the names in braces. Numbers are written as in the language of the reader. */
export function fill<Text extends string>(
  text: Text,
  values: Values<Text, string | number>,
): string {
  const given: Readonly<Record<string, string | number>> = values
  return text.replaceAll(NAME, (_, name: string) => {
    const value = given[name]
    return typeof value === 'number' ? numberText(value) : (value ?? '')
  })
}

const NAME = /\{(\w+)\}/g

/** The text for this number: `1 file`, `2 files`. */
export function plural<Forms extends Plural>(
  forms: Forms,
  count: number,
  ...[values]: [Exclude<Names<Forms['other']>, 'count'>] extends [never]
    ? []
    : [Readonly<Record<Exclude<Names<Forms['other']>, 'count'>, string | number>>]
): string {
  const form: string = formOf(forms, count)
  return fill(form, { ...values, count })
}

/** The text for this number, with names in braces, for `rich`. */
export function formOf<Forms extends Plural>(forms: Forms, count: number): Forms['other'] {
  const rules = cached('plural', (locale) => new Intl.PluralRules(locale))
  return forms[rules.select(count)] ?? forms.other
}

/** Replaces the names in braces by elements, such as links and names of files. */
export function rich<Text extends string>(text: Text, values: Values<Text, ReactNode>): ReactNode {
  const given: Readonly<Record<string, ReactNode>> = values
  // Splitting by a pattern with a group yields text and name in turn.
  const parts = text.split(NAME).map((part, index) => {
    if (index % 2 === 0) return part
    const value = given[part]
    return typeof value === 'number' ? numberText(value) : value
  })
  return createElement(Fragment, null, ...parts)
}

/** With the separators of the reader's language: `1,234,567`. */
export function numberText(value: number): string {
  return cached('number', (locale) => new Intl.NumberFormat(locale)).format(value)
}

const formats = new Map<string, unknown>()

/** The format of this name for the reader's language. Creating one takes far longer than using it. */
export function cached<Format>(name: string, create: (locale: string) => Format): Format {
  const key = `${state.locale} ${name}`
  const found = formats.get(key) ?? create(state.locale)
  formats.set(key, found)
  return found as Format
}
