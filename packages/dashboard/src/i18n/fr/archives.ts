import type { archives as English } from '../en/archives.ts'
import type { Translation } from '../texts.ts'

export const archives: Translation<typeof English> = {
  download: 'Télécharger en ZIP',
  preparing: 'L’archive est en préparation…',
  failed: 'Impossible de créer l’archive',
  size: '{files}, {size} ({bytes} octets)',
  links: {
    one: 'Un lien est un petit fichier dans l’archive, qui ouvre l’URL.',
    many: '{count} de liens sont de petits fichiers dans l’archive, qui ouvrent les URL.',
    other: '{count} liens sont de petits fichiers dans l’archive, qui ouvrent les URL.',
  },
  tooMany: 'Une archive contient au plus {count} fichiers. Sélectionnez-en moins.',
  resume: 'Le navigateur peut reprendre le téléchargement s’il est interrompu.',
}
