import { Alert, List, Stack, Table, Text, Title } from '@mantine/core'
import type { ServiceStatus } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import { useTitle } from '../components/page.tsx'
import { FactTable, LoadedSection, Section } from '../components/sections.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { dateText, durationText, numberText, sizeText } from '../format.ts'
import { operator } from '../i18n/en/operator.ts'
import { fill } from '../i18n/texts.ts'
import { IconAlertTriangle } from '../icons/icons.tsx'
import { queryKeys } from '../query-keys.ts'
import { useIsOperator } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import classes from './operator.module.css'

/** The state of the whole service, for who runs it. */
export function OperatorPage() {
  useTitle(operator.title)
  const isOperator = useIsOperator()
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        {operator.title}
      </Title>
      {isOperator === false ? <Text c="dimmed">{operator.operatorOnly}</Text> : <Status />}
    </Stack>
  )
}

const REFRESH_MS = 15_000

function Status() {
  const client = useClient()
  const query = useQuery({
    queryKey: queryKeys.serviceStatus(),
    queryFn: ({ signal }) => client.serviceStatus({ signal }),
    refetchInterval: REFRESH_MS,
  })
  const { data } = query
  return (
    <>
      <LoadedSection query={query} title={operator.instances}>
        {(status) => <Instances status={status} />}
      </LoadedSection>
      {data !== undefined && (
        <>
          <div className={classes.columns}>
            <Section title={operator.queues}>
              <Queues queues={data.queues} />
            </Section>
            <Section title={operator.failures}>
              <Failures failures={data.failures} />
            </Section>
            <Section title={operator.disk}>
              <Disk disk={data.disk} />
            </Section>
          </div>
          <Section title={operator.backups}>
            <Backups backups={data.backups} />
          </Section>
          <Section title={operator.accounts}>
            <Accounts status={data} />
          </Section>
        </>
      )}
    </>
  )
}

/** On a phone, long names leave room for what follows. */
const NAME_WIDTH = { base: 130, sm: 240 }

/** An instance reports every minute. */
const LATE_MS = 180_000

function Instances({ status: { now, instances } }: { status: ServiceStatus }) {
  const problems = instances.flatMap(({ id, name, problems }) =>
    problems.map((text) => ({ key: `${id} ${text}`, name, text })),
  )
  if (instances.length === 0) return <Text c="dimmed">{operator.noInstances}</Text>
  return (
    <>
      {problems.length > 0 && (
        <Alert
          color="orange"
          title={operator.problems}
          icon={<IconAlertTriangle aria-hidden />}
          mb="md"
        >
          <List size="sm">
            {problems.map(({ key, name, text }) => (
              <List.Item key={key}>
                <b>{name}</b>: {text}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      <FactTable
        head={
          <>
            <Table.Th>{operator.name}</Table.Th>
            <Table.Th>{operator.version}</Table.Th>
            <Table.Th>{operator.started}</Table.Th>
            <Table.Th>{operator.state}</Table.Th>
          </>
        }
      >
        {instances.map(({ id, name, version, started_at, seen_at }) => {
          const isLate = Date.parse(now) - Date.parse(seen_at) > LATE_MS
          return (
            <Table.Tr key={id}>
              <Table.Th scope="row" maw={NAME_WIDTH}>
                <Name>{name}</Name>
              </Table.Th>
              <Table.Td>{version}</Table.Td>
              <Table.Td>{dateText(new Date(started_at), 'minutes')}</Table.Td>
              <Table.Td>
                {isLate
                  ? fill(operator.lastSeen, { time: dateText(new Date(seen_at), 'minutes') })
                  : operator.running}
              </Table.Td>
            </Table.Tr>
          )
        })}
      </FactTable>
    </>
  )
}

function Queues({ queues }: { queues: ServiceStatus['queues'] }) {
  const waiting = queues.filter(({ length }) => length > 0)
  if (waiting.length === 0) return <Text c="dimmed">{operator.nothing}</Text>
  const names: Readonly<Record<string, string>> = operator.jobs
  return (
    <FactTable
      head={
        <>
          <Table.Th>{operator.queue}</Table.Th>
          <Table.Th ta="end">{operator.waiting}</Table.Th>
          <Table.Th ta="end">{operator.oldest}</Table.Th>
        </>
      }
    >
      {waiting.map(({ name, length, age }) => (
        <Table.Tr key={name}>
          <Table.Th scope="row" fw="normal">
            {names[name] ?? name}
          </Table.Th>
          <Table.Td ta="end">{numberText(length)}</Table.Td>
          <Table.Td ta="end">{durationText(age * 1000)}</Table.Td>
        </Table.Tr>
      ))}
    </FactTable>
  )
}

function Failures({ failures }: { failures: ServiceStatus['failures'] }) {
  const { damaged_files, webhooks, mails, bulk_changes } = failures
  const rows = [
    { name: operator.damaged, count: damaged_files },
    { name: operator.webhooks, count: webhooks },
    { name: operator.mails, count: mails },
    { name: operator.bulk, count: bulk_changes },
  ].filter(({ count }) => count > 0)
  if (rows.length === 0) return <Text c="dimmed">{operator.noFailures}</Text>
  return (
    <dl className={classes.facts}>
      {rows.map(({ name, count }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{numberText(count)}</dd>
        </div>
      ))}
    </dl>
  )
}

function Disk({ disk }: { disk: ServiceStatus['disk'] }) {
  if (disk === null) return <Text c="dimmed">{operator.object}</Text>
  const { free, full_at } = disk
  return (
    <>
      <Text fz={24} fw={700}>
        {fill(operator.free, { size: sizeText(free) })}
      </Text>
      <Text c="dimmed" size="sm">
        {full_at === null
          ? operator.notFilling
          : fill(operator.fullAt, { time: dateText(new Date(full_at), 'minutes') })}
      </Text>
    </>
  )
}

/** Backups are made every night. */
const OLD_BACKUP_SECONDS = 36 * 3600

function Backups({ backups }: Pick<ServiceStatus, 'backups'>) {
  const last = backups.find(({ state }) => state === 'complete')
  const isOld = last !== undefined && last.age > OLD_BACKUP_SECONDS
  return (
    <Stack gap="xs">
      {last === undefined ? (
        <Text c="dimmed">{operator.noBackup}</Text>
      ) : (
        <Text fw={700}>
          {isOld && <IconAlertTriangle aria-hidden className={classes.warning} />}
          {fill(operator.backupAge, { age: durationText(last.age * 1000) })}
        </Text>
      )}
      {isOld && <Text size="sm">{operator.oldBackup}</Text>}
      {backups.length > 0 && <BackupTable backups={backups} />}
    </Stack>
  )
}

function BackupTable({ backups }: Pick<ServiceStatus, 'backups'>) {
  return (
    <FactTable
      head={
        <>
          <Table.Th>{operator.started}</Table.Th>
          <Table.Th>{operator.state}</Table.Th>
          <Table.Th ta="end">{operator.files}</Table.Th>
          <Table.Th ta="end">{operator.size}</Table.Th>
          <Table.Th>{operator.folder}</Table.Th>
        </>
      }
    >
      {backups.map(({ id, started_at, state, files, bytes, damaged, folder }) => (
        <Table.Tr key={id}>
          <Table.Td>
            <DateTime value={started_at} />
          </Table.Td>
          <Table.Td>
            {operator.backupStates[state]}
            {damaged > 0 && (
              <div>{fill(operator.damagedFiles, { count: numberText(damaged) })}</div>
            )}
          </Table.Td>
          <Table.Td ta="end">{state === 'complete' && numberText(files)}</Table.Td>
          <Table.Td ta="end">{state === 'complete' && sizeText(bytes)}</Table.Td>
          <Table.Td>
            <Name>{folder}</Name>
          </Table.Td>
        </Table.Tr>
      ))}
    </FactTable>
  )
}

function Accounts({ status: { accounts, totals } }: { status: ServiceStatus }) {
  return (
    <>
      {accounts.length < totals.accounts && (
        <Text c="dimmed" size="sm" mb="xs">
          {fill(operator.largest, {
            shown: numberText(accounts.length),
            total: numberText(totals.accounts),
          })}
        </Text>
      )}
      <FactTable
        head={
          <>
            <Table.Th>{operator.account}</Table.Th>
            <Table.Th ta="end">{operator.stored}</Table.Th>
            <Table.Th ta="end">{operator.reserved}</Table.Th>
            <Table.Th ta="end">{operator.trash}</Table.Th>
            <Table.Th ta="end">{operator.plan}</Table.Th>
            <Table.Th ta="end">{operator.assets}</Table.Th>
          </>
        }
      >
        {accounts.map(({ id, name, plan, stored, reserved, trash, assets }) => (
          <Table.Tr key={id}>
            <Table.Th scope="row" maw={NAME_WIDTH}>
              <Name>{name}</Name>
            </Table.Th>
            <Table.Td ta="end">{sizeText(stored)}</Table.Td>
            <Table.Td ta="end">{sizeText(reserved)}</Table.Td>
            <Table.Td ta="end">{sizeText(trash)}</Table.Td>
            <Table.Td ta="end">{sizeText(plan.storage)}</Table.Td>
            <Table.Td ta="end">
              {plan.assets === null
                ? numberText(assets)
                : `${numberText(assets)} / ${numberText(plan.assets)}`}
            </Table.Td>
          </Table.Tr>
        ))}
      </FactTable>
    </>
  )
}
