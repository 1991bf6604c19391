import type { bulk as English } from '../en/bulk.ts'
import type { Translation } from '../texts.ts'

export const bulk: Translation<typeof English> = {
  running: {
    delete: {
      one: 'Eliminando {count} recurso',
      many: 'Eliminando {count} de recursos',
      other: 'Eliminando {count} recursos',
    },
    restore: {
      one: 'Restaurando {count} recurso',
      many: 'Restaurando {count} de recursos',
      other: 'Restaurando {count} recursos',
    },
    attach: {
      one: 'Asociando {count} recurso',
      many: 'Asociando {count} de recursos',
      other: 'Asociando {count} recursos',
    },
    detach: {
      one: 'Desasociando {count} recurso',
      many: 'Desasociando {count} de recursos',
      other: 'Desasociando {count} recursos',
    },
    tag: {
      one: 'Etiquetando {count} recurso',
      many: 'Etiquetando {count} de recursos',
      other: 'Etiquetando {count} recursos',
    },
    untag: {
      one: 'Quitando etiquetas de {count} recurso',
      many: 'Quitando etiquetas de {count} de recursos',
      other: 'Quitando etiquetas de {count} recursos',
    },
    move: {
      one: 'Moviendo {count} recurso',
      many: 'Moviendo {count} de recursos',
      other: 'Moviendo {count} recursos',
    },
  },
  done: '{done} de {total}',
  stop: 'Detener',
  stopped: {
    one: 'Detenido después de {count} recurso',
    many: 'Detenido después de {count} de recursos',
    other: 'Detenido después de {count} recursos',
  },
  stopFailed: 'No se pudo detener el cambio',
  region: 'Cambios en curso',
  kind: 'Cambio',
  add: 'Añadir etiquetas',
  remove: 'Quitar etiquetas',
}
