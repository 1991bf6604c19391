import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useClient } from '../session/session.tsx'
import { openLiveUpdates } from './open-live-updates.ts'

/** Keeps the data of all pages current. */
export function LiveUpdates() {
  const client = useClient()
  const queries = useQueryClient()
  useEffect(() => openLiveUpdates(client, queries), [client, queries])
  return null
}
