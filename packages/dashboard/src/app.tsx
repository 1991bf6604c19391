import { MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { lazy, Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { AssetsPage } from './assets/assets-page.tsx'
import { SessionProvider } from './session/session.tsx'
import { Loading } from './shell/loading.tsx'
import { NotFound } from './shell/not-found.tsx'
import { Shell } from './shell/shell.tsx'
import { styleNonce } from './style-nonce.ts'
import { readableColors, theme } from './theme.ts'
import { UploadsProvider } from './uploads/uploads.tsx'

/** Only the first page is loaded at once; the others when they are first opened. */
const AssetPage = lazy(() =>
  import('./assets/asset-page.tsx').then((it) => ({ default: it.AssetPage })),
)
const ProductsPage = lazy(() =>
  import('./products/products-page.tsx').then((it) => ({ default: it.ProductsPage })),
)
const ImportPage = lazy(() =>
  import('./products/import/import-page.tsx').then((it) => ({ default: it.ImportPage })),
)
const ProductPage = lazy(() =>
  import('./products/product-page.tsx').then((it) => ({ default: it.ProductPage })),
)
const StoragePage = lazy(() =>
  import('./storage/storage-page.tsx').then((it) => ({ default: it.StoragePage })),
)
const SettingsPage = lazy(() =>
  import('./settings/settings-page.tsx').then((it) => ({ default: it.SettingsPage })),
)

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readableColors}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <Notifications position="top-right" />
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
