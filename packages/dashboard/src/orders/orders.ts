/* All that is about orders, as one script that is loaded on demand. */
export { OrdersPage } from './orders-page.tsx'
