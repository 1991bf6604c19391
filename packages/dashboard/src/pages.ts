/*
 * All pages but the first. They are one script, because many small ones compress worse and because all of
 * them are loaded soon after the first page.
 */
export { ActivityPage } from './activity/activity-page.tsx'
export { AssetPage } from './assets/asset-page.tsx'
export { ImportPage } from './products/import/import-page.tsx'
export { ProductPage } from './products/product-page.tsx'
export { ProductsPage } from './products/products-page.tsx'
export { SettingsPage } from './settings/settings-page.tsx'
export { StoragePage } from './storage/storage-page.tsx'
export { TrashPage } from './trash/trash-page.tsx'
export { UnfinishedPage } from './uploads/unfinished-page.tsx'
export { WebhookPage } from './webhooks/webhook-page.tsx'
