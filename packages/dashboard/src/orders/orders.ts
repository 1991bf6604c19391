/* All that is about orders, as one script that is loaded on demand. */
export { AssetDownloads } from './asset-downloads.tsx'
export { BrandingSection } from './branding.tsx'
export { DownloadsPage } from './downloads-page.tsx'
export { OrderPage } from './order-page.tsx'
export { OrdersPage } from './orders-page.tsx'
export { ShareButton } from './share-button.tsx'
