/** Where the built web app lies. Whoever serves it need not know how it is made. */
export const folder = new URL('./dist/', import.meta.url)
