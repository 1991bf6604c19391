/* Which language the reader wants, and loading it. */

import { useSyncExternalStore } from 'react'
import type { ApiTexts } from './api-texts.ts'
import type * as english from './en.ts'
import {
  type Catalog,
  LANGUAGES,
  type Language,
  onLanguage,
  readLanguage,
  showLanguage,
  type Translation,
} from './texts.ts'

/** The name of each language in itself, as readers look for it. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português (Brasil)',
  ja: '日本語',
}

/** For `lang` attributes, and for numbers and dates if the browser has no region for the language. */
export const LANGUAGE_TAGS: Readonly<Record<Language, string>> = {
  en: 'en',
  de: 'de',
  fr: 'fr',
  es: 'es',
  pt: 'pt-BR',
  ja: 'ja',
}

type Source = typeof english & ApiTexts
type FullCatalog = Catalog & { readonly [Name in keyof Source]: Translation<Source[Name]> }

/** A language with a missing text, or without a group, does not compile. */
const CATALOGS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<FullCatalog>>> = {
  de: () => import('./de.ts'),
  fr: () => import('./fr.ts'),
  es: () => import('./es.ts'),
  pt: () => import('./pt.ts'),
  ja: () => import('./ja.ts'),
}

const SAVED = 'stowage.language'

/** Shows the dashboard in the language that the reader chose before, or in the first one of the browser that there is. */
export async function openLanguage(): Promise<void> {
  addEventListener('storage', ({ key }) => {
    // Chosen in another tab.
    if (key === SAVED) void load(chosenLanguage()).catch(() => undefined)
  })
  // Without its catalog, the dashboard is English: the service may have been updated or stopped meanwhile.
  await load(chosenLanguage()).catch(() => undefined)
}

/** Changes the language for this browser. Rejects if it cannot be loaded. */
export async function changeLanguage(language: Language): Promise<void> {
  await load(language)
  try {
    localStorage.setItem(SAVED, language)
  } catch {
    // A browser that stores nothing forgets the choice with the page.
  }
}

/** The language that was asked for last. A catalog that arrives later than that of a later choice is not shown. */
let wanted: Language

async function load(language: Language): Promise<void> {
  wanted = language
  const catalog = language === 'en' ? undefined : await CATALOGS[language]()
  if (wanted !== language) return
  showLanguage(language, localeOf(language, navigator.languages), catalog)
  document.documentElement.lang = LANGUAGE_TAGS[language]
}

function chosenLanguage(): Language {
  let saved: string | null = null
  try {
    saved = localStorage.getItem(SAVED)
  } catch {
    // The browser stores nothing.
  }
  return chooseLanguage([...(saved === null ? [] : [saved]), ...navigator.languages])
}

/** The first of these language tags that the dashboard has, or English. */
export function chooseLanguage(tags: readonly string[]): Language {
  for (const tag of tags) {
    const known = LANGUAGES.find((language) => isOf(tag, language))
    if (known !== undefined) return known
  }
  return 'en'
}

/** With the region of the browser: someone in Austria or the United Kingdom writes numbers and dates in another way. */
export function localeOf(language: Language, tags: readonly string[]): string {
  return tags.find((tag) => isOf(tag, language)) ?? LANGUAGE_TAGS[language]
}

function isOf(tag: string, language: Language): boolean {
  return tag.toLowerCase().split('-')[0] === language
}

/** Renders the component again when the language changes. The app and components in `memo` need it. */
export function useLanguage(): Language {
  return useSyncExternalStore(onLanguage, readLanguage)
}
