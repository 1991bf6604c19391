import type { Event, EventActor } from './event.ts'
import { foldText, hasWords } from './search.ts'

/** Which actors an event may have. Undefined members do not matter. */
export interface ActorFilter {
  type?: EventActor['type'] | undefined
  id?: string | undefined
  name?: string | undefined
}

/** Whether each of the folded words is part of a name that the event shows. */
export function matchesWords(event: Event, words: readonly string[]): boolean {
  // A line break, which is in no word, keeps a word from matching the end of a name and the start of the next one.
  return hasWords(foldText(eventNames(event).join('\n')), words)
}

type Texts = { [Field in TextField]?: string | null }
type TextField =
  | 'filename'
  | 'path'
  | 'url'
  | 'name'
  | 'variantName'
  | 'sku'
  | 'vendor'
  | 'description'
  | 'origin'
  | 'number'
  | 'reference'
  | 'email'
  | 'label'

/** The names, folders and URLs in the data of an event. */
export function eventNames({ data }: Event): string[] {
  const { filename, path, url, previous, name, variantName, sku, vendor, description, origin } =
    data as Texts & { previous?: Texts }
  const { number, reference, email, label, file } = data as Texts & { file?: Texts }
  const before = [previous?.filename, previous?.path, previous?.url]
  const all = [
    filename,
    path,
    url,
    ...before,
    name,
    variantName,
    sku,
    vendor,
    description,
    origin,
    number,
    reference,
    email,
    label,
    file?.filename,
  ]
  return all.filter((text) => typeof text === 'string')
}
