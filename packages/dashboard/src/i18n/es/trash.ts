import type { trash as English } from '../en/trash.ts'
import type { Translation } from '../texts.ts'

export const trash: Translation<typeof English> = {
  title: 'Papelera',
  empty: 'Vaciar la papelera',
  intro:
    'Los recursos eliminados se pueden restaurar hasta la fecha indicada, o hasta que una subida necesite su espacio. No cuentan para su plan.',
  whoHint: 'Quién los eliminó: {activity}.',
  search: 'Buscar en la papelera',
  loadFailed: 'No se pudo cargar la papelera',
  noMatch: 'No hay recursos que coincidan',
  isEmpty: 'La papelera está vacía',
  isEmptyHint: 'Los recursos que elimine aparecen aquí hasta que se borren definitivamente.',
  noTrash: 'Este servicio no tiene papelera',
  noTrashHint: 'Los recursos que elimine se borran de inmediato.',
  pages: 'Páginas de la papelera',
  restore: 'Restaurar',
  restoreNamed: 'Restaurar {name}',
  restoreFailed: 'No se pudieron restaurar los recursos',
  deleteForever: 'Eliminar definitivamente',
  deleteNamed: 'Eliminar {name} definitivamente',
  selectAll: 'Seleccionar los {count}',
  deletedForever: '{name}: eliminado definitivamente',
  deletedManyForever: {
    one: '{count} recurso eliminado definitivamente',
    many: '{count} de recursos eliminados definitivamente',
    other: '{count} recursos eliminados definitivamente',
  },
  deleteOneQuestion: '¿Eliminar este recurso definitivamente?',
  deleteManyQuestion: {
    one: '¿Eliminar {count} recurso definitivamente?',
    many: '¿Eliminar {count} de recursos definitivamente?',
    other: '¿Eliminar {count} recursos definitivamente?',
  },
  deleteOneFailed: 'No se pudo eliminar el recurso',
  deleteManyFailed: 'No se pudieron eliminar todos los recursos',
  deleteOneHint: 'Se eliminarán todas las versiones del recurso. Esta acción no se puede deshacer.',
  deleteManyHint:
    'Se eliminarán todas las versiones de los recursos. Esta acción no se puede deshacer.',
  emptied: 'Papelera vaciada',
  emptyQuestion: '¿Vaciar la papelera?',
  emptyFailed: 'No se pudo vaciar la papelera',
  emptyHint:
    'Se eliminarán definitivamente todos los recursos de la papelera, también los de otras páginas y los que una búsqueda no muestra. Esta acción no se puede deshacer.',
  name: 'Nombre',
  size: 'Tamaño',
  deleted: 'Eliminado',
  removedAfter: 'Se borra después del',
  actions: 'Acciones',
  selectNamed: 'Seleccionar {name}',
  until: '{size} · hasta el {date}',
}
