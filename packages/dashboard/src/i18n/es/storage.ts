import type { storage as English } from '../en/storage.ts'
import type { Translation } from '../texts.ts'

export const storage: Translation<typeof English> = {
  title: 'Almacenamiento',
  plan: 'Plan',
  byType: 'Por tipo',
  largest: 'Archivos más grandes',
  stored: 'Guardado',
  reserved: 'Reservado por subidas',
  inTrash: 'En la papelera',
  available: 'Disponible',
  used: 'de {size} en uso ({share})',
  versionsCount: 'Las versiones anteriores cuentan como guardadas.',
  trashCounts:
    'La {trash} cuenta como disponible: las subidas que necesitan espacio borran sus archivos más antiguos.',
  exceeded: 'Límite de almacenamiento superado',
  exceededHint:
    'Sus archivos siguen disponibles, pero no podrá subir otros hasta que elimine archivos o el operador del servicio amplíe el plan.',
  assetsOf:
    '{assets} de {limit} recursos como máximo. Las subidas sin terminar cuentan; la papelera, no.',
  assetsExceeded: 'El plan no permite más recursos',
  almostFull: 'El almacenamiento está casi lleno',
  almostFullHint:
    'Elimine los archivos que ya no necesite o pida al operador del servicio que amplíe el plan.',
  type: 'Tipo',
  assets: 'Recursos',
  size: 'Tamaño',
  share: 'Porcentaje',
  noAssets: 'Todavía no hay recursos.',
  noFiles: 'Todavía no hay archivos.',
  types: {
    video: 'Vídeos',
    audio: 'Audio',
    image: 'Imágenes',
    document: 'Documentos',
    archive: 'Archivos comprimidos',
    otherFiles: 'Otros archivos',
    link: 'URL',
  },
}
