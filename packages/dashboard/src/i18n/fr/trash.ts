import type { trash as English } from '../en/trash.ts'
import type { Translation } from '../texts.ts'

export const trash: Translation<typeof English> = {
  title: 'Corbeille',
  empty: 'Vider la corbeille',
  intro:
    'Les ressources supprimées peuvent être restaurées jusqu’à la date indiquée, ou jusqu’à ce qu’un téléversement ait besoin de leur espace. Elles ne sont pas décomptées de votre forfait.',
  whoHint: 'Qui les a supprimées : {activity}.',
  search: 'Rechercher dans la corbeille',
  loadFailed: 'Impossible de charger la corbeille',
  noMatch: 'Aucune ressource correspondante',
  isEmpty: 'La corbeille est vide',
  isEmptyHint: 'Les ressources que vous supprimez restent ici jusqu’à leur suppression définitive.',
  noTrash: 'Ce service n’a pas de corbeille',
  noTrashHint: 'Les ressources que vous supprimez disparaissent immédiatement.',
  pages: 'Pages de la corbeille',
  restore: 'Restaurer',
  restoreNamed: 'Restaurer {name}',
  restoreFailed: 'Impossible de restaurer les ressources',
  deleteForever: 'Supprimer définitivement',
  deleteNamed: 'Supprimer définitivement {name}',
  selectAll: 'Tout sélectionner ({count})',
  deletedForever: '{name} : suppression définitive effectuée',
  deletedManyForever: {
    one: '{count} ressource supprimée définitivement',
    many: '{count} de ressources supprimées définitivement',
    other: '{count} ressources supprimées définitivement',
  },
  deleteOneQuestion: 'Supprimer définitivement cette ressource ?',
  deleteManyQuestion: {
    one: 'Supprimer définitivement {count} ressource ?',
    many: 'Supprimer définitivement {count} de ressources ?',
    other: 'Supprimer définitivement {count} ressources ?',
  },
  deleteOneFailed: 'Impossible de supprimer la ressource',
  deleteManyFailed: 'Impossible de supprimer toutes les ressources',
  deleteOneHint:
    'Toutes les versions de la ressource seront supprimées. Cette action est irréversible.',
  deleteManyHint:
    'Toutes les versions des ressources seront supprimées. Cette action est irréversible.',
  emptied: 'Corbeille vidée',
  emptyQuestion: 'Vider la corbeille ?',
  emptyFailed: 'Impossible de vider la corbeille',
  emptyHint:
    'Toutes les ressources de la corbeille seront supprimées définitivement, y compris celles des autres pages et celles qu’une recherche ne montre pas. Cette action est irréversible.',
  name: 'Nom',
  size: 'Taille',
  deleted: 'Supprimée',
  removedAfter: 'Effacée après',
  actions: 'Actions',
  selectNamed: 'Sélectionner {name}',
  until: '{size} · jusqu’au {date}',
}
