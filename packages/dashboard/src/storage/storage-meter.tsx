import { Alert, Group, Text } from '@mantine/core'
import type { Account } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'
import { IconAlertTriangle } from '@tabler/icons-react'
import { shareText } from './share-text.ts'
import classes from './storage.module.css'

const NEARLY_FULL = 0.9

/** What is stored, what uploads have reserved, and what is free: as a bar and in numbers. */
export function StorageMeter({ account }: { account: Account }) {
  const { plan, stored, reserved, available } = account
  const taken = stored + reserved
  // A plan may be lowered below what is stored.
  const whole = Math.max(plan.storage, taken, 1)
  const parts = [
    { name: 'Stored', bytes: stored, className: classes.stored },
    { name: 'Reserved by uploads', bytes: reserved, className: classes.reserved },
    { name: 'Free', bytes: available, className: classes.free },
  ]
  return (
    <>
      <Group gap="xs" align="baseline" mb="sm">
        <Text fz={32} fw={700} lh={1.1}>
          {formatSize(taken)}
        </Text>
        <Text c="dimmed" size="lg">
          of {formatSize(plan.storage)} taken ({shareText(taken, plan.storage)})
        </Text>
      </Group>
      <div className={classes.meter} aria-hidden>
        {parts.slice(0, 2).map(({ name, bytes, className }) => (
          <div
            key={name}
            className={className}
            data-any={bytes > 0 || undefined}
            style={{ width: `${(bytes / whole) * 100}%` }}
          />
        ))}
      </div>
      <dl className={classes.legend}>
        {parts.map(({ name, bytes, className }) => (
          <div key={name}>
            <dt>
              <span className={`${classes.dot} ${className}`} aria-hidden />
              {name}
            </dt>
            <dd>{formatSize(bytes)}</dd>
          </div>
        ))}
      </dl>
      {taken > plan.storage && (
        <Warning title="More is stored than the plan has">
          What is there stays, but nothing new can be uploaded until files are deleted or the plan
          is raised.
        </Warning>
      )}
      {taken <= plan.storage && taken > plan.storage * NEARLY_FULL && (
        <Warning title="The plan is nearly full">
          Delete files that nobody needs, or ask whoever runs the service to raise the plan.
        </Warning>
      )}
    </>
  )
}

function Warning({ title, children }: { title: string; children: string }) {
  return (
    <Alert color="orange" title={title} icon={<IconAlertTriangle aria-hidden />} mt="md">
      {children}
    </Alert>
  )
}
