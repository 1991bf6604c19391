/** The largest page that the service returns. */
export const PAGE_SIZE = 1000
