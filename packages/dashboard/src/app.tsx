import { MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { lazy, Suspense, useEffect } from 'react'
import { Route, Switch } from 'wouter'
import { AssetsPage } from './assets/assets-page.tsx'
import { Loading } from './components/loading.tsx'
import { Notices } from './components/notices.tsx'
import { SessionProvider } from './session/session.tsx'
import { NotFound } from './shell/not-found.tsx'
import { Shell } from './shell/shell.tsx'
import { styleNonce } from './style-nonce.ts'
import { readableColors, theme } from './theme.ts'
import { UploadsProvider } from './uploads/uploads.tsx'

/** Only the first page is loaded at once; the others when they are first opened, or when there is time. */
const OTHERS = {
  AssetPage: () => import('./assets/asset-page.tsx').then((it) => ({ default: it.AssetPage })),
  ProductsPage: () =>
    import('./products/products-page.tsx').then((it) => ({ default: it.ProductsPage })),
  ImportPage: () =>
    import('./products/import/import-page.tsx').then((it) => ({ default: it.ImportPage })),
  ProductPage: () =>
    import('./products/product-page.tsx').then((it) => ({ default: it.ProductPage })),
  StoragePage: () =>
    import('./storage/storage-page.tsx').then((it) => ({ default: it.StoragePage })),
  SettingsPage: () =>
    import('./settings/settings-page.tsx').then((it) => ({ default: it.SettingsPage })),
}
const AssetPage = lazy(OTHERS.AssetPage)
const ProductsPage = lazy(OTHERS.ProductsPage)
const ImportPage = lazy(OTHERS.ImportPage)
const ProductPage = lazy(OTHERS.ProductPage)
const StoragePage = lazy(OTHERS.StoragePage)
const SettingsPage = lazy(OTHERS.SettingsPage)

/** So that a click opens them at once, also while the line is cut. */
function usePagesAhead(): void {
  useEffect(() => {
    const idle = globalThis.requestIdleCallback ?? setTimeout
    idle(() => {
      for (const load of Object.values(OTHERS)) {
        load().catch(() => {
          // Then it is loaded when it is opened, and that is where it is said.
        })
      }
    })
  }, [])
}

export function App() {
  usePagesAhead()
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readableColors}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <Notices />
      <SessionProvider>
        <UploadsProvider>
          <ModalsProvider>
            <Shell>
              <Suspense fallback={<Loading />}>
                <Switch>
                  <Route path="/" component={AssetsPage} />
                  <Route path="/assets/:id">{({ id }) => <AssetPage id={id} />}</Route>
                  <Route path="/products" component={ProductsPage} />
                  <Route path="/products/import" component={ImportPage} />
                  <Route path="/products/:id">{({ id }) => <ProductPage id={id} />}</Route>
                  <Route path="/storage" component={StoragePage} />
                  <Route path="/settings" component={SettingsPage} />
                  <Route component={NotFound} />
                </Switch>
              </Suspense>
            </Shell>
          </ModalsProvider>
        </UploadsProvider>
      </SessionProvider>
    </MantineProvider>
  )
}
