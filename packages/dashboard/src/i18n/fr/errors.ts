import type { errors as German } from '../de/errors.ts'
import type { Translation } from '../texts.ts'

export const errors: Translation<typeof German> = {
  unauthenticated: 'La connexion n’est plus valide. Reconnectez-vous.',
  key_expired: 'La clé a expiré. Connectez-vous avec une autre.',
  forbidden: 'Votre clé ne le permet pas. Connectez-vous avec une clé qui a plus de droits.',
  account_suspended:
    'Le compte est suspendu : il peut être lu, mais pas modifié. Les envois inachevés sont conservés. Adressez-vous à l’exploitant du service.',
  account_deleted: 'Le compte a été supprimé. L’exploitant du service peut encore le restaurer.',
  not_found: 'Cet élément n’existe pas ou plus. Il vient peut-être d’être supprimé.',
  too_many_requests: 'Trop de requêtes. Attendez une minute, puis réessayez.',
  overloaded: 'Le service est surchargé. Rien n’a été modifié. Réessayez dans un instant.',
  internal:
    'Une erreur inattendue s’est produite dans le service. Réessayez. Si elle persiste, le journal du service aidera l’exploitant.',
  storage_unavailable:
    'Le stockage est momentanément indisponible. Rien n’a été perdu. Réessayez dans un instant.',
  database_unavailable:
    'La base de données est momentanément indisponible. Rien n’a été perdu. Réessayez dans un instant.',
  storage_full:
    'Le serveur n’a pas assez d’espace libre. Supprimez définitivement des fichiers, videz la corbeille, ou demandez à l’exploitant de libérer de l’espace.',
  secret_key_missing:
    'Le service ne peut pas chiffrer le secret : sa clé est absente ou incorrecte. Demandez à l’exploitant de la rétablir : « stowage doctor » indique comment.',
  already_uploaded: 'Le téléversement est déjà terminé.',
  upload_completing: 'Le téléversement est en cours de finalisation. Patientez un instant.',
  not_ready:
    'Le fichier est encore en cours de téléversement. Terminez ou annulez d’abord le téléversement.',
  selection_changed:
    'D’autres ressources correspondent maintenant à la recherche. Vérifiez la liste, puis réessayez.',
  damaged: 'Le fichier stocké est endommagé. Remplacez-le, ou restaurez une autre version.',
  verifying: 'Le fichier stocké est en cours de vérification. Réessayez dans quelques secondes.',
  replacement_in_progress:
    'Ce fichier est déjà en cours de remplacement. Reprenez ou abandonnez ce téléversement dans « Téléversements inachevés ».',
  not_a_file: 'Cette ressource est un lien et n’a pas de versions.',
  current_version:
    'C’est la version actuelle. Restaurez d’abord une autre version, ou supprimez la ressource.',
  folder_exists:
    'Le dossier cible contient déjà des ressources. Choisissez un autre nom, ou fusionnez les dossiers.',
  folder_move_in_progress:
    'Un dossier est encore en cours de déplacement. Réessayez une fois le déplacement terminé.',
  bulk_in_progress:
    'Une modification groupée est encore en cours. Réessayez une fois qu’elle est terminée.',
  not_undoable: 'Cette modification ne peut pas être annulée.',
  last_manage_key:
    'C’est la dernière clé avec l’autorisation « Gestion ». Créez-en d’abord une autre.',
  too_many_keys:
    'Le compte a atteint le nombre maximal de clés. Révoquez-en une dont vous n’avez pas besoin.',
  too_many_webhooks:
    'Le compte a atteint le nombre maximal de webhooks. Supprimez-en un dont vous n’avez pas besoin.',
  webhook_disabled: 'Le webhook est désactivé. Activez-le d’abord.',
  webhook_busy:
    'Trop de requêtes à ce webhook attendent une réponse. Réessayez dans quelques secondes.',
  delivery_expired:
    'L’événement de cette livraison n’est plus conservé et ne peut pas être renvoyé.',
  mail_not_configured: 'Ce service n’envoie pas d’e-mails. Envoyez vous-même l’URL à l’acheteur.',
  no_email: 'La commande n’a pas d’adresse e-mail. Ajoutez-en une.',
  mail_running: 'L’e-mail est en cours d’envoi. Attendez le résultat.',
  notice_ended: 'L’annonce est déjà terminée.',
  order_held: 'La commande est en attente. Débloquez-la d’abord.',
  order_expired: 'La commande a expiré. Modifiez sa date d’expiration.',
  order_revoked: 'La commande a été révoquée. Créez-en une autre.',
  limit_reached:
    'Le fichier a été téléchargé autant de fois que la commande le permet. Augmentez la limite.',
  archive_outdated:
    'Un fichier de l’archive a été supprimé ou remplacé. Téléchargez de nouveau l’archive.',
  too_many_downloads:
    'Trop de téléchargements d’archives sont en cours. Attendez que l’un d’eux se termine.',
  body_too_large: 'La requête est trop volumineuse.',
  timeout: 'Le service a mis trop de temps à répondre. Réessayez.',
  bad_response: 'Réponse inattendue. Un proxy répond peut-être à la place du service.',
  file_unreadable:
    'Le fichier est illisible. Vérifiez qu’il existe encore, puis choisissez-le de nouveau.',
}
