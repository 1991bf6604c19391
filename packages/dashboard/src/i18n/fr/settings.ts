import type { settings as English } from '../en/settings.ts'
import type { Translation } from '../texts.ts'

export const settings: Translation<typeof English> = {
  title: 'Paramètres',
  account: 'Compte',
  name: 'Nom',
  plan: 'Forfait',
  used: 'Utilisé',
  usedIn: '{size} pour {assets}',
  viewUsage: 'Voir l’utilisation du stockage',
  access: 'Accès',
  openAccess:
    'Ce service n’exige pas de clé. Toute personne qui utilise cet ordinateur a un accès complet. Les autres ordinateurs ne peuvent pas se connecter.',
  requireKeys:
    'Pour exiger des clés, créez ci-dessous une clé avec l’autorisation « Gestion », définissez {auth} et redémarrez le service. Pour accepter les connexions d’autres ordinateurs, définissez aussi {host}.',
  signedIn: 'Vous êtes connecté avec la clé {key}.',
  signedInUntil: 'Vous êtes connecté avec la clé {key}, au plus tard jusqu’au {date}.',
  signOutHint:
    'Le bouton « Se déconnecter », en haut de chaque page, vous déconnecte dans tous les onglets de ce navigateur.',
  appearance: 'Apparence',
  colorScheme: 'Thème de couleurs',
  schemes: {
    light: 'Clair',
    dark: 'Sombre',
    auto: 'Système',
  },
  apiKeys: 'Clés API',
  createKey: 'Créer une clé',
  keysIgnored: 'Le service ignore les clés tant qu’il ne les exige pas (STOWAGE_AUTH=keys).',
  noKeys: 'Aucune clé pour l’instant. Créez-en une pour chaque programme qui appelle le service.',
  allRevoked:
    'Toutes les clés sont révoquées ou expirées. Créez-en une pour chaque programme qui appelle le service.',
  showRevoked: 'Afficher les clés révoquées et expirées ({count})',
  noAccess: 'Votre clé ne peut pas gérer les clés API',
  noAccessHint:
    'La gestion des clés exige une clé avec l’autorisation « Gestion ». Connectez-vous avec une telle clé, ou demandez-en une à l’exploitant du service.',
  scope: 'Autorisation',
  key: 'Clé',
  created: 'Créée',
  lastUsed: 'Dernière utilisation',
  neverUsed: 'Jamais utilisée',
  revoke: 'Révoquer',
  revokeNamed: 'Révoquer {name}',
  currentKey: 'Clé actuelle',
  revoked: 'Révoquée le {date}',
  scopeNames: {
    read: 'Lecture',
    write: 'Écriture',
    manage: 'Gestion',
  },
  scopes: {
    read: 'Lecture',
    write: 'Écriture',
    manage: 'Gestion',
  },
  scopeHints: {
    read: 'Lister et télécharger.',
    write: 'Lecture, et aussi téléverser, modifier, associer et supprimer.',
    manage: 'Écriture, et aussi gérer les clés et les webhooks.',
  },
  expires: 'Expire',
  expiresHint:
    'À la fin de cette journée. Si le champ est vide, la clé fonctionne jusqu’à sa révocation.',
  expiresOn: 'Expire le {date}',
  expired: 'Expirée le {date}',
  expiringKeys: {
    one: '{count} clé expire bientôt',
    many: '{count} de clés expirent bientôt',
    other: '{count} clés expirent bientôt',
  },
  expiringKeysHint:
    'Le service refuse toutes les requêtes avec une clé expirée. Créez une nouvelle clé et remplacez-la avant ce jour.',
  newKey: 'Votre nouvelle clé',
  newKeyHint: 'Conservez-la comme un mot de passe. Toute personne qui a la clé peut l’utiliser.',
  createFailed: 'Impossible de créer la clé',
  create: 'Créer',
  nameHint: 'L’endroit où la clé est utilisée, pour savoir plus tard laquelle révoquer',
  namePlaceholder: 'backend de la boutique',
  keyRevoked: 'Clé révoquée',
  revokeKeyQuestion: 'Révoquer cette clé ?',
  revokeKey: 'Révoquer la clé',
  revokeKeyFailed: 'Impossible de révoquer la clé',
  revokeKeyHint:
    'Le service refusera toutes les requêtes avec cette clé et ses jetons de téléversement. Cette action est irréversible, mais vous pouvez créer une nouvelle clé.',
  ownKey: 'Vous êtes connecté avec cette clé',
  ownKeyHint: 'Vous devrez vous connecter avec une autre clé.',
  uploadTokens: 'Jetons de téléversement',
  noTokens:
    'Aucun jeton de téléversement n’est valide actuellement. Votre boutique en crée un quand un visiteur téléverse un fichier.',
  newestTokens: {
    one: 'Le jeton le plus récent sur {total}.',
    many: 'Les {count} jetons les plus récents sur {total}.',
    other: 'Les {count} jetons les plus récents sur {total}.',
  },
  untilDate: 'Jusqu’au {date}',
  revokeTokenNamed: 'Révoquer le jeton pour {limits}',
  newVersions: 'Nouvelles versions d’un fichier',
  onOrigin: 'sur {origin}',
  tokenRevoked: 'Jeton de téléversement révoqué',
  revokeTokenQuestion: 'Révoquer ce jeton de téléversement ?',
  revokeToken: 'Révoquer le jeton',
  revokeTokenFailed: 'Impossible de révoquer le jeton',
  revokeTokenHint:
    'Les pages qui ont ce jeton ne peuvent plus téléverser, et leurs téléversements inachevés s’arrêtent. Les fichiers déjà téléversés restent.',
}
