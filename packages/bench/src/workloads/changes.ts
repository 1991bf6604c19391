import { CHANGE_METRICS, CHANGE_TARGETS, changeContenders } from '../load/measure-changes.ts'
import type { Workload } from '../workload.ts'

export const workload: Workload = {
  title: 'Sessions and completions on SQLite and disk, 16 clients',
  metrics: CHANGE_METRICS,
  targets: CHANGE_TARGETS,
  seconds: 3,
  rounds: 5,
  open: (context) => changeContenders(context, async () => ({})),
}
