import type { storage as English } from '../en/storage.ts'
import type { Translation } from '../texts.ts'

export const storage: Translation<typeof English> = {
  title: 'Speicherplatz',
  plan: 'Tarif',
  byType: 'Nach Art',
  largest: 'Größte Dateien',
  stored: 'Gespeichert',
  reserved: 'Für Uploads reserviert',
  inTrash: 'Im Papierkorb',
  available: 'Verfügbar',
  used: 'von {size} belegt ({share})',
  versionsCount: 'Ältere Versionen zählen als gespeichert.',
  trashCounts:
    'Der {trash} zählt als verfügbar: Uploads, die den Platz brauchen, entfernen seine ältesten Dateien.',
  exceeded: 'Speicherplatz überschritten',
  exceededHint:
    'Ihre Dateien bleiben verfügbar, aber Sie können erst wieder Dateien hochladen, wenn Sie welche löschen oder der Betreiber des Dienstes den Tarif vergrößert.',
  assetsOf:
    '{assets} von höchstens {limit} Assets. Unfertige Uploads zählen mit, der Papierkorb nicht.',
  assetsExceeded: 'Der Tarif erlaubt keine weiteren Assets',
  almostFull: 'Der Speicherplatz ist fast voll',
  almostFullHint:
    'Löschen Sie Dateien, die Sie nicht mehr brauchen, oder bitten Sie den Betreiber des Dienstes um einen größeren Tarif.',
  type: 'Art',
  assets: 'Assets',
  size: 'Größe',
  share: 'Anteil',
  noAssets: 'Noch keine Assets.',
  noFiles: 'Noch keine Dateien.',
  types: {
    video: 'Videos',
    audio: 'Audio',
    image: 'Bilder',
    document: 'Dokumente',
    archive: 'Archive',
    otherFiles: 'Andere Dateien',
    link: 'URLs',
  },
}
