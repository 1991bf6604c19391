/** The content of a file cannot be shown, and loading it again does not help. The message gives the reason. */
export class Unpreviewable extends Error {}
