import { Badge } from '@mantine/core'
import type { Order } from '@stowage/client'
import { orders as texts } from '../i18n/en/orders.ts'

type Names = Pick<Order, 'order_number' | 'label' | 'name' | 'email' | 'reference'>

/** What people call an order. Only its number is unique, if it has one. */
export function orderName({ order_number, label, name, email, reference }: Names): string {
  return order_number ?? label ?? name ?? email ?? reference ?? texts.unnamed
}

const COLORS = { active: 'green', held: 'orange', expired: 'gray', revoked: 'red' }

export function OrderStatus({ status }: Pick<Order, 'status'>) {
  return (
    <Badge size="sm" variant="light" miw="max-content" color={COLORS[status]}>
      {texts.statuses[status]}
    </Badge>
  )
}
