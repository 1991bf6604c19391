/** The folder of the built web app. */
export const folder = new URL('./dist/', import.meta.url)
