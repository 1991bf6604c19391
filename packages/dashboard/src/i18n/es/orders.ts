import type { orders as English } from '../en/orders.ts'
import type { Translation } from '../texts.ts'

export const orders: Translation<typeof English> = {
  title: 'Pedidos',
  searchLabel: 'Buscar pedidos',
  searchHint: 'Número, nombre, correo, referencia o nota',
  sort: 'Orden',
  sorts: {
    '-created_at': 'Más recientes primero',
    created_at: 'Más antiguos primero',
    '-ordered_at': 'Fecha de pedido descendente',
    ordered_at: 'Fecha de pedido ascendente',
    order_number: 'Número ascendente',
    '-order_number': 'Número descendente',
  },
  status: 'Estado',
  allStatuses: 'Todos',
  statuses: {
    active: 'Activo',
    held: 'Retenido',
    expired: 'Caducado',
    revoked: 'Revocado',
  },
  order: 'Pedido',
  buyer: 'Comprador',
  downloads: 'Descargas',
  ordered: 'Fecha',
  unnamed: 'Pedido sin número',
  perFile: '{count} · límite de {limit} por archivo',
  pages: 'Páginas de pedidos',
  loadFailed: 'No se pudieron cargar los pedidos',
  noMatch: 'Ningún pedido coincide',
  none: 'Aún no hay pedidos',
  noneHint:
    'Un pedido es lo que un comprador puede descargar. Su tienda crea los pedidos con {call}.',
}
