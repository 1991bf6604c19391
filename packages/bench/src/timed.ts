/** Measures the duration of the work in milliseconds, as the metric `time`. */
export async function timed(work: () => Promise<void> | void): Promise<{ time: number }> {
  const start = performance.now()
  await work()
  return { time: performance.now() - start }
}
