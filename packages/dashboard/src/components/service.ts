/*
 * Whether the service responds, for the whole page. While it does not, one banner shows it, queries wait instead of
 * failing one after the other, and uploads show no speed. Once it responds, everything is loaded again.
 */

import { onlineManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

const CHECK_MS = 2_000
const CHECK_TIMEOUT_MS = 10_000
/** A call that takes longer may be due to a service that hangs. */
const SLOW_MS = 10_000
/** The service, or a proxy in front of it, has no database or is not running. */
const UNAVAILABLE = [502, 503, 504]

// The browser reports its own network, which says nothing about a service on this computer.
onlineManager.setEventListener(() => undefined)

/** The `fetch` of all calls. A failure that may concern the whole service starts a check. */
export async function watchedFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const slow = setTimeout(() => void check(), SLOW_MS)
  try {
    const response = await fetch(input, init)
    if (UNAVAILABLE.includes(response.status)) void check()
    else onlineManager.setOnline(true)
    return response
  } catch (error) {
    // A request that the page has aborted is not a failure.
    if (!init?.signal?.aborted) void check()
    throw error
  } finally {
    clearTimeout(slow)
  }
}

let isChecking = false

/** Repeats a small call until the service responds. Does nothing while a check runs. */
async function check(): Promise<void> {
  if (isChecking) return
  isChecking = true
  while (!(await responds())) {
    onlineManager.setOnline(false)
    await pause()
  }
  isChecking = false
  onlineManager.setOnline(true)
}

async function responds(): Promise<boolean> {
  try {
    const response = await fetch('/api/v1/account', {
      signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
    })
    await response.text()
    return !UNAVAILABLE.includes(response.status)
  } catch {
    return false
  }
}

/** Ends early when the browser is online again. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('online', end)
      resolve()
    }
    const timer = setTimeout(end, CHECK_MS)
    addEventListener('online', end)
  })
}

export function isServiceDown(): boolean {
  return !onlineManager.isOnline()
}

/** Calls the listener when the service responds again. Returns a function that removes the listener. */
export function onServiceBack(listener: () => void): () => void {
  return onlineManager.subscribe((isUp) => isUp && listener())
}

/** `offline`: the browser has no network; a service on the same computer may respond nevertheless. */
export type Connection = 'ok' | 'offline' | 'down'

export function useConnection(): Connection {
  const isOffline = useSyncExternalStore(subscribeToBrowser, () => !navigator.onLine)
  const isDown = useServiceDown()
  if (isOffline) return 'offline'
  return isDown ? 'down' : 'ok'
}

export function useServiceDown(): boolean {
  return useSyncExternalStore((listener) => onlineManager.subscribe(listener), isServiceDown)
}

function subscribeToBrowser(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}
