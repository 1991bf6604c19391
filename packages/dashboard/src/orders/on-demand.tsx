import { type ComponentProps, type ComponentType, lazy, Suspense } from 'react'
import type * as orders from './orders.ts'

type Parts = Omit<typeof orders, `${string}Page`>

/** A part of another page. That page also works without it, so it is missing if its script cannot be loaded. */
function part<Name extends keyof Parts>(name: Name): ComponentType<ComponentProps<Parts[Name]>> {
  const Part = lazy<ComponentType<object>>(() =>
    import('./orders.ts').then(
      (it) => ({ default: it[name] as ComponentType<object> }),
      () => ({ default: () => null }),
    ),
  )
  return (props) => (
    <Suspense fallback={null}>
      <Part {...(props as object)} />
    </Suspense>
  )
}

export const ShareButton = part('ShareButton')
export const AssetDownloads = part('AssetDownloads')
export const BrandingSection = part('BrandingSection')
