import type { Result } from './result.ts'
export async function writePage(_results: Result[]): Promise<void> {}
