/*
 * All pages except the list of assets, which is in the main script. They are one script, because many small scripts
 * would compress worse and because the browser loads all of these pages soon after the start.
 */
export { ActivityPage } from './activity/activity-page.tsx'
export { AssetPage } from './assets/asset-page.tsx'
export { ImportPage } from './products/import-page.tsx'
export { ProductPage } from './products/product-page.tsx'
export { ProductsPage } from './products/products-page.tsx'
export { SettingsPage } from './settings/settings-page.tsx'
export { StoragePage } from './storage/storage-page.tsx'
export { TrashPage } from './trash/trash-page.tsx'
export { UnfinishedPage } from './uploads/unfinished-page.tsx'
export { WebhookPage } from './webhooks/webhook-page.tsx'
