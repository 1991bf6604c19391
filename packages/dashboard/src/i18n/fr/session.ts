import type { session as English } from '../en/session.ts'
import type { Translation } from '../texts.ts'

export const session: Translation<typeof English> = {
  title: 'Se connecter',
  heading: 'Se connecter à Stowage',
  apiKey: 'Clé API',
  remember: 'Rester connecté pendant 30 jours',
  rememberHint: 'Sinon, vous êtes déconnecté à la fermeture du navigateur, ou au bout de 7 jours.',
  noKey: 'Pas encore de clé ? Sur le serveur, dans le dossier du service, exécutez :',
  keyOnce:
    'La nouvelle clé n’est affichée qu’une fois. Pour utiliser le service sans le tableau de bord, consultez la {reference}.',
  reference: 'référence de l’API',
  keyHint: 'Clé …{end}',
  ended: 'Votre session est terminée. Reconnectez-vous.',
  invalidKey: 'Clé API non valide.',
  noCookie:
    'Le navigateur n’a pas conservé la session. Autorisez les cookies pour cette page, et ouvrez le tableau de bord à l’URL du service (STOWAGE_BASE_URL).',
  unreachable: 'Impossible de joindre le service.',
  unexpected: 'Réponse inattendue (HTTP {status}).',
  signOutFailed: 'Impossible de se déconnecter',
  showKey: 'Afficher ou masquer la clé',
}
