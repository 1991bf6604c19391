import type { storage as English } from '../en/storage.ts'
import type { Translation } from '../texts.ts'

export const storage: Translation<typeof English> = {
  title: 'Stockage',
  plan: 'Forfait',
  byType: 'Par type',
  largest: 'Fichiers les plus volumineux',
  stored: 'Stocké',
  reserved: 'Réservé aux téléversements',
  inTrash: 'Dans la corbeille',
  available: 'Disponible',
  used: 'utilisés sur {size} ({share})',
  versionsCount: 'Les versions antérieures comptent comme stockées.',
  trashCounts:
    'La {trash} compte comme espace disponible : les téléversements qui en ont besoin en retirent les fichiers les plus anciens.',
  exceeded: 'Limite de stockage dépassée',
  exceededHint:
    'Vos fichiers restent disponibles, mais vous ne pourrez en téléverser d’autres qu’après en avoir supprimé, ou si l’exploitant du service augmente le forfait.',
  assetsOf:
    '{assets} ressources sur {limit} au plus. Les téléversements inachevés comptent, la corbeille ne compte pas.',
  assetsExceeded: 'Le forfait ne permet pas d’autres ressources',
  almostFull: 'Le stockage est presque plein',
  almostFullHint:
    'Supprimez les fichiers dont vous n’avez plus besoin, ou demandez à l’exploitant du service un forfait supérieur.',
  type: 'Type',
  assets: 'Ressources',
  size: 'Taille',
  share: 'Part',
  noAssets: 'Aucune ressource pour l’instant.',
  noFiles: 'Aucun fichier pour l’instant.',
  types: {
    video: 'Vidéos',
    audio: 'Audio',
    image: 'Images',
    document: 'Documents',
    archive: 'Archives',
    otherFiles: 'Autres fichiers',
    link: 'URL',
  },
}
