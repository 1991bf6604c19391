const CHANNEL = 'stowage.session'

export type SessionEvent = 'signed-in' | 'signed-out'

export interface SessionChannel {
  /** Notifies the other tabs of this browser, but not this one. */
  announce(event: SessionEvent): void
  close(): void
}

/** Calls the listener when the user signs in or out in another tab. */
export function openSessionChannel(listener: (event: SessionEvent) => void): SessionChannel {
  // One channel for both directions: a channel does not receive its own messages.
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = ({ data }: MessageEvent<SessionEvent>) => listener(data)
  return {
    announce: (event) => channel.postMessage(event),
    close: () => channel.close(),
  }
}
