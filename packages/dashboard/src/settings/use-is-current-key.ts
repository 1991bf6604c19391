import type { Key } from '@stowage/client'
import { useSignedIn } from '../session/use-signed-in.ts'

/** Whether the user is signed in with this key. */
export function useIsCurrentKey(key: Key | undefined): boolean {
  const { data } = useSignedIn()
  return key !== undefined && data?.key?.id === key.id
}
