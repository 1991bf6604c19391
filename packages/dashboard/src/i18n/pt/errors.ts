import type { errors as German } from '../de/errors.ts'
import type { Translation } from '../texts.ts'

export const errors: Translation<typeof German> = {
  unauthenticated: 'A sessão não é mais válida. Entre novamente.',
  key_expired: 'A chave expirou. Entre com outra.',
  forbidden: 'Sua chave não permite isso. Entre com uma chave que tenha mais permissões.',
  account_suspended:
    'A conta está suspensa: pode ser lida, mas não alterada. Os envios inacabados são mantidos. Fale com o operador do serviço.',
  account_deleted: 'A conta foi excluída. O operador do serviço ainda pode restaurá-la.',
  not_found: 'Isso não existe ou não existe mais. Talvez tenha acabado de ser excluído.',
  too_many_requests: 'Solicitações demais. Aguarde um minuto e tente novamente.',
  overloaded: 'O serviço está sobrecarregado. Nada foi alterado. Tente novamente em instantes.',
  internal:
    'Ocorreu um erro inesperado no serviço. Tente novamente. Se persistir, o log do serviço ajudará o operador.',
  storage_unavailable:
    'O armazenamento está indisponível. Nada foi perdido. Tente novamente em instantes.',
  database_unavailable:
    'O banco de dados está indisponível. Nada foi perdido. Tente novamente em instantes.',
  storage_full:
    'O servidor não tem espaço livre suficiente. Exclua arquivos definitivamente, esvazie a lixeira ou peça ao operador para liberar espaço.',
  secret_key_missing:
    'O serviço não pode criptografar o segredo porque a chave dele falta ou está errada. Peça ao operador para restaurá-la: “stowage doctor” mostra como.',
  already_uploaded: 'O envio já foi concluído.',
  upload_completing: 'O envio está sendo concluído. Aguarde um momento.',
  not_ready: 'O arquivo ainda está sendo enviado. Conclua ou cancele o envio primeiro.',
  selection_changed:
    'Agora outros ativos correspondem à pesquisa. Verifique a lista e tente novamente.',
  damaged: 'O arquivo armazenado está danificado. Substitua-o ou restaure outra versão.',
  verifying: 'O arquivo armazenado está sendo verificado. Tente novamente em alguns segundos.',
  replacement_in_progress:
    'Este arquivo já está sendo substituído. Retome ou descarte esse envio em “Envios inacabados”.',
  not_a_file: 'Este ativo é um link e não tem versões.',
  current_version: 'Esta é a versão atual. Restaure outra versão primeiro ou exclua o ativo.',
  folder_exists: 'A pasta de destino já tem ativos. Escolha outro nome ou mescle as pastas.',
  folder_move_in_progress: 'Uma pasta ainda está sendo movida. Tente novamente quando terminar.',
  bulk_in_progress:
    'Uma alteração em massa ainda está em andamento. Tente novamente quando terminar.',
  not_undoable: 'Não é possível desfazer esta alteração.',
  last_manage_key: 'Esta é a última chave com a permissão “Gerenciamento”. Crie outra primeiro.',
  too_many_keys: 'A conta atingiu o número máximo de chaves. Revogue uma de que você não precise.',
  too_many_webhooks:
    'A conta atingiu o número máximo de webhooks. Exclua um de que você não precise.',
  webhook_disabled: 'O webhook está desativado. Ative-o primeiro.',
  webhook_busy:
    'Solicitações demais a este webhook aguardam resposta. Tente novamente em alguns segundos.',
  delivery_expired: 'O evento desta entrega não está mais guardado e não pode ser reenviado.',
  mail_not_configured: 'Este serviço não envia e-mails. Envie você mesmo a URL ao comprador.',
  no_email: 'O pedido não tem endereço de e-mail. Adicione um.',
  mail_running: 'O e-mail está sendo enviado. Aguarde o resultado.',
  notice_ended: 'O aviso já terminou.',
  order_held: 'O pedido está retido. Libere-o primeiro.',
  order_expired: 'O pedido expirou. Altere a data de expiração.',
  order_revoked: 'O pedido foi revogado. Crie outro.',
  limit_reached: 'O arquivo foi baixado tantas vezes quanto o pedido permite. Aumente o limite.',
  archive_outdated:
    'Um arquivo do ZIP foi excluído ou substituído. Baixe-o novamente desde o início.',
  too_many_downloads: 'Há downloads de ZIP demais em andamento. Aguarde até que um termine.',
  body_too_large: 'A solicitação é grande demais.',
  timeout: 'O serviço demorou demais para responder. Tente novamente.',
  bad_response: 'Resposta inesperada. Talvez um proxy esteja respondendo no lugar do serviço.',
  file_unreadable:
    'O arquivo não pode ser lido. Verifique se ele ainda existe e escolha-o novamente.',
}
