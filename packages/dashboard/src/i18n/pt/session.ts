import type { session as English } from '../en/session.ts'
import type { Translation } from '../texts.ts'

export const session: Translation<typeof English> = {
  title: 'Entrar',
  heading: 'Entrar no Stowage',
  apiKey: 'Chave de API',
  remember: 'Continuar conectado por 30 dias',
  rememberHint: 'Caso contrário, você será desconectado ao fechar o navegador ou após 7 dias.',
  noKey: 'Ainda não tem uma chave? No servidor, na pasta do serviço, execute:',
  keyOnce:
    'A nova chave é exibida apenas uma vez. Para usar o serviço sem o painel, consulte a {reference}.',
  reference: 'referência da API',
  keyHint: 'Chave …{end}',
  ended: 'Sua sessão terminou. Entre novamente.',
  invalidKey: 'Chave de API inválida.',
  noCookie:
    'O navegador não manteve a sessão. Permita cookies nesta página e abra o painel na URL do serviço (STOWAGE_BASE_URL).',
  unreachable: 'Não foi possível acessar o serviço.',
  unexpected: 'Resposta inesperada (HTTP {status}).',
  signOutFailed: 'Não foi possível sair',
  showKey: 'Mostrar ou ocultar a chave',
}
