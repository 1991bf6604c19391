import { Alert, Anchor, Group, Text } from '@mantine/core'
import type { Account } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'
import { Link } from 'wouter'
import { IconAlertTriangle } from '../icons/icons.ts'
import { shareText } from './share-text.ts'
import classes from './storage.module.css'

const ALMOST_FULL = 0.9

/** The stored, reserved and available storage, as a bar and in numbers. The trash counts as available. */
export function StorageMeter({ account }: { account: Account }) {
  const { plan, stored, reserved, trash, trash_for, available } = account
  const hasTrash = trash_for !== 0 || trash > 0
  const used = stored + reserved
  // A plan may be reduced below what is stored.
  const whole = Math.max(plan.storage, used, 1)
  const parts = [
    { name: 'Stored', bytes: stored, className: classes.stored },
    { name: 'Reserved by uploads', bytes: reserved, className: classes.reserved },
    ...(hasTrash ? [{ name: 'In the trash', bytes: trash, className: classes.trash }] : []),
    { name: 'Available', bytes: available, className: classes.available },
  ]
  return (
    <>
      <Group gap="xs" align="baseline" mb="sm">
        <Text fz={32} fw={700} lh={1.1}>
          {formatSize(used)}
        </Text>
        <Text c="dimmed" size="lg">
          of {formatSize(plan.storage)} used ({shareText(used, plan.storage)})
        </Text>
      </Group>
      <div className={classes.meter} aria-hidden>
        {parts.slice(0, -1).map(({ name, bytes, className }) => (
          <div key={name} className={className} style={{ width: `${(bytes / whole) * 100}%` }} />
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
      <Text size="sm" c="dimmed" mt="sm">
        Older versions count as stored.{' '}
        {hasTrash && (
          <>
            The{' '}
            <Anchor component={Link} href="/trash" underline="always" inherit>
              trash
            </Anchor>{' '}
            counts as available: uploads that need the storage remove its oldest files.
          </>
        )}
      </Text>
      {used > plan.storage && (
        <Warning title="Storage limit exceeded">
          Your files stay available, but you cannot upload new ones until you delete files or the
          operator of the service upgrades the plan.
        </Warning>
      )}
      {used <= plan.storage && used > plan.storage * ALMOST_FULL && (
        <Warning title="Storage is almost full">
          Delete files that you no longer need, or ask the operator of the service to upgrade the
          plan.
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
