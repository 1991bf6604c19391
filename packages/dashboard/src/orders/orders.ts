/* All that is about orders, as one script that is loaded on demand. */
export { OrderPage } from './order-page.tsx'
export { OrdersPage } from './orders-page.tsx'
