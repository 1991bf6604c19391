import { MantineProvider } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { Route, Switch } from 'wouter'
import { AssetsPage, PrefetchAssets } from './assets/assets-page.tsx'
import { BulkProgress } from './assets/bulk-progress.tsx'
import { NotificationArea } from './components/notifications.tsx'
import { Loading } from './components/page.tsx'
import { useLanguage } from './i18n/language.ts'
import { openLiveUpdates } from './live-updates.ts'
import { SessionProvider, useClient } from './session/session.tsx'
import { NotFound, Shell } from './shell/shell.tsx'
import { readableColors, styleNonce, theme } from './theme.ts'
import { UploadsProvider } from './uploads/uploads.tsx'

/** The first page is part of the main script. The others are loaded when the browser is idle or on demand. */
const loadPages = () => import('./pages.ts')
const ActivityPage = lazy(() => loadPages().then((it) => ({ default: it.ActivityPage })))
const AssetPage = lazy(() => loadPages().then((it) => ({ default: it.AssetPage })))
const ProductsPage = lazy(() => loadPages().then((it) => ({ default: it.ProductsPage })))
/** Orders are a script of their own, because not everyone needs them. */
const loadOrders = () => import('./orders/orders.ts')
const DownloadsPage = lazy(() => loadOrders().then((it) => ({ default: it.DownloadsPage })))
const OrderPage = lazy(() => loadOrders().then((it) => ({ default: it.OrderPage })))
const OrdersPage = lazy(() => loadOrders().then((it) => ({ default: it.OrdersPage })))
/** Mails are one, too. */
const loadMails = () => import('./mails/mails.ts')
const MailPage = lazy(() => loadMails().then((it) => ({ default: it.MailPage })))
const MailsPage = lazy(() => loadMails().then((it) => ({ default: it.MailsPage })))
const OperatorPage = lazy(() =>
  import('./operator/operator-page.tsx').then((it) => ({ default: it.OperatorPage })),
)
const ImportPage = lazy(() => loadPages().then((it) => ({ default: it.ImportPage })))
const ProductPage = lazy(() => loadPages().then((it) => ({ default: it.ProductPage })))
const UnfinishedPage = lazy(() => loadPages().then((it) => ({ default: it.UnfinishedPage })))
const StoragePage = lazy(() => loadPages().then((it) => ({ default: it.StoragePage })))
const TrashPage = lazy(() => loadPages().then((it) => ({ default: it.TrashPage })))
const WebhookPage = lazy(() => loadPages().then((it) => ({ default: it.WebhookPage })))
const SettingsPage = lazy(() => loadPages().then((it) => ({ default: it.SettingsPage })))

/** Not earlier, because the browser is also idle while it waits for the data of the first page. */
const PRELOAD_AFTER_MS = 1_000

/** Loads the other pages in advance, so that they open without delay and while the network is down. */
function usePreloadedPages(): void {
  useEffect(() => {
    const idle = globalThis.requestIdleCallback ?? setTimeout
    const load = () =>
      loadPages().catch(() => {
        // They are loaded again when one of them is opened, which reports the error.
      })
    const timer = setTimeout(() => idle(load), PRELOAD_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
}

export function App() {
  usePreloadedPages()
  useLanguage()
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readableColors}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <NotificationArea />
      <SessionProvider>
        <PrefetchAssets />
        <LiveUpdates />
        <UploadsProvider>
          <Shell>
            <BulkProgress />
            <Suspense fallback={<Loading />}>
              <Switch>
                <Route path="/" component={AssetsPage} />
                <Route path="/assets/:id">{({ id }) => <AssetPage id={id} />}</Route>
                <Route path="/products" component={ProductsPage} />
                <Route path="/products/import" component={ImportPage} />
                <Route path="/products/:id">{({ id }) => <ProductPage id={id} />}</Route>
                <Route path="/orders" component={OrdersPage} />
                <Route path="/orders/downloads" component={DownloadsPage} />
                <Route path="/orders/:id">{({ id }) => <OrderPage id={id} />}</Route>
                <Route path="/mails" component={MailsPage} />
                <Route path="/mails/:id">{({ id }) => <MailPage id={id} />}</Route>
                <Route path="/uploads" component={UnfinishedPage} />
                <Route path="/trash" component={TrashPage} />
                <Route path="/activity" component={ActivityPage} />
                <Route path="/storage" component={StoragePage} />
                <Route path="/service" component={OperatorPage} />
                <Route path="/settings" component={SettingsPage} />
                <Route path="/settings/webhooks/:id">{({ id }) => <WebhookPage id={id} />}</Route>
                <Route component={NotFound} />
              </Switch>
            </Suspense>
          </Shell>
        </UploadsProvider>
      </SessionProvider>
    </MantineProvider>
  )
}

/** Keeps the data of all pages current. */
function LiveUpdates() {
  const client = useClient()
  const queries = useQueryClient()
  useEffect(() => openLiveUpdates(client, queries), [client, queries])
  return null
}
