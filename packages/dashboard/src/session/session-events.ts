const CHANNEL = 'stowage.session'

export type SessionEvent = 'signed-in' | 'signed-out'

/** Tells the other tabs of this browser. */
export function announce(event: SessionEvent): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage(event)
  channel.close()
}

/** Calls the listener when people sign in or out in another tab. Returns a function that stops it. */
export function onSessionEvent(listener: (event: SessionEvent) => void): () => void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = ({ data }: MessageEvent<SessionEvent>) => listener(data)
  return () => channel.close()
}
