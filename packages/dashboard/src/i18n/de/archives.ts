import type { archives as English } from '../en/archives.ts'
import type { Translation } from '../texts.ts'

export const archives: Translation<typeof English> = {
  download: 'Als ZIP herunterladen',
  preparing: 'Das Archiv wird vorbereitet …',
  failed: 'Das Archiv konnte nicht erstellt werden',
  size: '{files}, {size} ({bytes} Bytes)',
  links: {
    one: 'Ein Link ist eine kleine Datei im Archiv, die die URL öffnet.',
    other: '{count} Links sind kleine Dateien im Archiv, die die URLs öffnen.',
  },
  tooMany: 'Ein Archiv hat höchstens {count} Dateien. Wählen Sie weniger aus.',
  resume: 'Der Browser kann den Download fortsetzen, wenn er unterbrochen wird.',
}
