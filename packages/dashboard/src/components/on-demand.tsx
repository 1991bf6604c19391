import { type ComponentProps, type ComponentType, lazy, Suspense } from 'react'

type Components<Parts> = {
  [Name in keyof Parts as Parts[Name] extends ComponentType<never> ? Name : never]: Parts[Name]
}

/**
 * A part of another page, whose script is loaded on demand. That page also works without it, so it is missing if its script
 * cannot be loaded.
 */
export function onDemand<Parts, Name extends keyof Components<Parts>>(
  load: () => Promise<Parts>,
  name: Name,
): ComponentType<ComponentProps<Parts[Name] & ComponentType>> {
  const Part = lazy<ComponentType<object>>(() =>
    load().then(
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
