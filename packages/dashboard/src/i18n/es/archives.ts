import type { archives as English } from '../en/archives.ts'
import type { Translation } from '../texts.ts'

export const archives: Translation<typeof English> = {
  download: 'Descargar como ZIP',
  preparing: 'Se está preparando el archivo ZIP…',
  failed: 'No se pudo crear el archivo ZIP',
  size: '{files}, {size} ({bytes} bytes)',
  links: {
    one: 'Un enlace es un pequeño archivo dentro del ZIP, que abre la URL.',
    many: '{count} de enlaces son pequeños archivos dentro del ZIP, que abren las URL.',
    other: '{count} enlaces son pequeños archivos dentro del ZIP, que abren las URL.',
  },
  tooMany: 'Un archivo ZIP tiene como máximo {count} archivos. Seleccione menos.',
  resume: 'El navegador puede reanudar la descarga si se interrumpe.',
}
