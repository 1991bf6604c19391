import type { Socket } from 'node:net'

/** For so long bodies are taken before everyone else on the thread gets a turn. */
const TURN_MS = 5

export interface Turns {
  /** To be asked after each piece. False: it is paused, as all others are, until the next turn. */
  mayGoOn(socket: Socket): boolean
  leave(socket: Socket): void
}

/**
 * Shares a thread between the sockets whose bodies are written at once and everything else. Left
 * alone, Node goes on with a socket that has more, then with the next: with 64 parts under way and
 * a slow disk, others would wait for seconds.
 */
export function openTurns(nowMs: () => number): Turns {
  const sockets = new Set<Socket>()
  let start = nowMs()
  let isOver = false

  function end(): void {
    isOver = true
    for (const each of sockets) each.pause()
    setImmediate(() => {
      isOver = false
      start = nowMs()
      for (const each of sockets) each.resume()
    })
  }

  return {
    mayGoOn(socket) {
      // To the end: those that got nothing in this turn are the first in the next.
      sockets.delete(socket)
      sockets.add(socket)
      if (!isOver && nowMs() - start > TURN_MS) end()
      return !isOver
    },
    leave: (socket) => void sockets.delete(socket),
  }
}
