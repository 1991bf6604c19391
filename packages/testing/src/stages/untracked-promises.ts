import hooks from 'node:async_hooks'

/*
 * To be loaded before node:test (`node --import`). To find the test that caused an uncaught error, node:test tracks
 * every promise, which takes a tenth of the CPU time of our tests. Without that, an uncaught error still fails the
 * process, and is printed here.
 */

const { createHook } = hooks
const untracked: hooks.AsyncHook = { enable: () => untracked, disable: () => untracked }

Object.assign(hooks, {
  createHook(callbacks: hooks.HookCallbacks): hooks.AsyncHook {
    const isTestRunner = new Error().stack?.includes('node:internal/test_runner/')
    return isTestRunner ? untracked : createHook(callbacks)
  },
})

const print = (error: unknown) => console.error('Uncaught error in a test:', error)
process.on('uncaughtExceptionMonitor', print).on('unhandledRejection', print)
