/** Measures the work in milliseconds, as the figure `time`. */
export async function timed(work: () => Promise<void> | void): Promise<{ time: number }> {
  const start = performance.now()
  await work()
  return { time: performance.now() - start }
}
