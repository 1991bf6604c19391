import type { orders as English } from '../en/orders.ts'
import type { Translation } from '../texts.ts'

export const orders: Translation<typeof English> = {
  title: 'Pedidos',
  searchLabel: 'Pesquisar pedidos',
  searchHint: 'Número, nome, e-mail, referência ou nota',
  sort: 'Ordenação',
  sorts: {
    '-created_at': 'Mais recentes primeiro',
    created_at: 'Mais antigos primeiro',
    '-ordered_at': 'Data do pedido decrescente',
    ordered_at: 'Data do pedido crescente',
    order_number: 'Número crescente',
    '-order_number': 'Número decrescente',
  },
  status: 'Status',
  allStatuses: 'Todos',
  statuses: {
    active: 'Ativo',
    held: 'Retido',
    expired: 'Expirado',
    revoked: 'Revogado',
  },
  order: 'Pedido',
  buyer: 'Comprador',
  downloads: 'Downloads',
  ordered: 'Data',
  unnamed: 'Pedido sem número',
  perFile: '{count} · limite de {limit} por arquivo',
  pages: 'Páginas de pedidos',
  loadFailed: 'Não foi possível carregar os pedidos',
  noMatch: 'Nenhum pedido corresponde',
  none: 'Ainda não há pedidos',
  noneHint: 'Um pedido é o que um comprador pode baixar. A sua loja cria pedidos com {call}.',
}
