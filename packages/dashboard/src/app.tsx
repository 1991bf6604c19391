import { MantineProvider } from '@mantine/core'
import { lazy, Suspense, useEffect } from 'react'
import { Route, Switch } from 'wouter'
import { AssetsPage } from './assets/assets-page.tsx'
import { Loading } from './components/loading.tsx'
import { SessionProvider } from './session/session.tsx'
import { NotFound } from './shell/not-found.tsx'
import { NotificationArea } from './shell/notification-area.tsx'
import { Shell } from './shell/shell.tsx'
import { styleNonce } from './style-nonce.ts'
import { readableColors, theme } from './theme.ts'
import { UploadsProvider } from './uploads/uploads.tsx'

/** The first page is part of the main script. The others are loaded when the browser is idle or on demand. */
const LAZY_PAGES = {
  AssetPage: () => import('./assets/asset-page.tsx').then((it) => ({ default: it.AssetPage })),
  ProductsPage: () =>
    import('./products/products-page.tsx').then((it) => ({ default: it.ProductsPage })),
  ImportPage: () =>
    import('./products/import/import-page.tsx').then((it) => ({ default: it.ImportPage })),
  ProductPage: () =>
    import('./products/product-page.tsx').then((it) => ({ default: it.ProductPage })),
  UnfinishedPage: () =>
    import('./uploads/unfinished-page.tsx').then((it) => ({ default: it.UnfinishedPage })),
  StoragePage: () =>
    import('./storage/storage-page.tsx').then((it) => ({ default: it.StoragePage })),
  SettingsPage: () =>
    import('./settings/settings-page.tsx').then((it) => ({ default: it.SettingsPage })),
}
const AssetPage = lazy(LAZY_PAGES.AssetPage)
const ProductsPage = lazy(LAZY_PAGES.ProductsPage)
const ImportPage = lazy(LAZY_PAGES.ImportPage)
const ProductPage = lazy(LAZY_PAGES.ProductPage)
const UnfinishedPage = lazy(LAZY_PAGES.UnfinishedPage)
const StoragePage = lazy(LAZY_PAGES.StoragePage)
const SettingsPage = lazy(LAZY_PAGES.SettingsPage)

/** Loads the other pages in advance, so that they open without delay and while the network is down. */
function usePreloadedPages(): void {
  useEffect(() => {
    const idle = globalThis.requestIdleCallback ?? setTimeout
    idle(() => {
      for (const load of Object.values(LAZY_PAGES)) {
        load().catch(() => {
          // The page is loaded again when it is opened, and reports the error then.
        })
      }
    })
  }, [])
}

export function App() {
  usePreloadedPages()
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readableColors}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <NotificationArea />
      <SessionProvider>
        <UploadsProvider>
          <Shell>
            <Suspense fallback={<Loading />}>
              <Switch>
                <Route path="/" component={AssetsPage} />
                <Route path="/assets/:id">{({ id }) => <AssetPage id={id} />}</Route>
                <Route path="/products" component={ProductsPage} />
                <Route path="/products/import" component={ImportPage} />
                <Route path="/products/:id">{({ id }) => <ProductPage id={id} />}</Route>
                <Route path="/uploads" component={UnfinishedPage} />
                <Route path="/storage" component={StoragePage} />
                <Route path="/settings" component={SettingsPage} />
                <Route component={NotFound} />
              </Switch>
            </Suspense>
          </Shell>
        </UploadsProvider>
      </SessionProvider>
    </MantineProvider>
  )
}
