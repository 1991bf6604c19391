import { Button, Group, Progress, Stack, Text, Title } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { Link } from 'wouter'
import { BackLink } from '../../components/back-link.tsx'
import { Problem } from '../../components/error-alert.tsx'
import { Loading } from '../../components/loading.tsx'
import { Name } from '../../components/name.tsx'
import { useLeaveWarning } from '../../components/use-leave-warning.ts'
import { useTitle } from '../../components/use-title.ts'
import { countText, numberText } from '../../format/count-text.ts'
import { useMay } from '../../session/require-scope.tsx'
import { ChooseFile } from './choose-file.tsx'
import { ImportPreview } from './import-preview.tsx'
import { ProblemTable } from './import-tables.tsx'
import { type Import, useImport, wantedOf } from './use-import.ts'

export function ImportPage() {
  useTitle('Import products')
  const { state, read, send, restart } = useImport()
  const mayWrite = useMay('write')
  useLeaveWarning(state.step === 'sending' && state.failure === undefined)
  return (
    <Stack gap="md">
      <BackLink href="/products">All products</BackLink>
      <Title order={1} size="h2">
        Import products
      </Title>
      {'fileName' in state && <Name c="dimmed">{state.fileName}</Name>}
      {'preview' in state && <Name c="dimmed">{state.preview.fileName}</Name>}
      {state.step === 'choosing' && mayWrite && <ChooseFile onFile={(file) => void read(file)} />}
      {state.step === 'choosing' && !mayWrite && (
        <Text>
          Your key may only read. Sign in with a key of the scope write or manage to import.
        </Text>
      )}
      {state.step === 'reading' && <Loading />}
      {state.step === 'failed' && (
        <>
          <Problem title="It can’t be compared" error={state.error} onRetry={state.retry} />
          <OtherFile onOther={restart} />
        </>
      )}
      {state.step === 'looking' && (
        <ImportPreview
          preview={state.preview}
          onSend={() => void send(state.preview)}
          onOther={restart}
        />
      )}
      {state.step === 'sending' && (
        <Sending
          state={state}
          onRetry={() => void send(state.preview, state.done)}
          onOther={restart}
        />
      )}
      {state.step === 'done' && <Done preview={state.preview} onOther={restart} />}
    </Stack>
  )
}

type Step<Name extends Import['step']> = Extract<Import, { step: Name }>

function OtherFile({ onOther }: { onOther(): void }) {
  return (
    <Button variant="default" onClick={onOther} w="fit-content">
      Choose another file
    </Button>
  )
}

interface SendingProps {
  state: Step<'sending'>
  onRetry(): void
  onOther(): void
}

function Sending({ state, onRetry, onOther }: SendingProps) {
  const { done, failure, preview } = state
  const total = wantedOf(preview).length
  return (
    <Stack gap="sm" maw={640}>
      <Progress
        value={(done / total) * 100}
        size="lg"
        aria-label="Products sent"
        animated={failure === undefined}
        color={failure === undefined ? 'cyan' : 'orange'}
      />
      <Text role="status">
        {numberText(done)} of {countText(total, 'product')} sent
      </Text>
      {failure !== undefined && (
        <>
          <Problem
            title="The rest was not sent"
            error={
              failure.problems.length > 0 ? 'The service refuses the lines below.' : failure.error
            }
            onRetry={onRetry}
          />
          {failure.problems.length > 0 && (
            <ProblemTable problems={failure.problems} format={preview.format} />
          )}
          <OtherFile onOther={onOther} />
        </>
      )}
    </Stack>
  )
}

function Done({ preview, onOther }: { preview: Step<'done'>['preview']; onOther(): void }) {
  const count = (outcome: string) =>
    numberText(preview.compared.filter((product) => product.outcome === outcome).length)
  return (
    <Stack gap="sm" align="flex-start" role="status">
      <Group gap="sm">
        <IconCircleCheck size={32} color="var(--mantine-color-teal-text)" aria-hidden />
        <Title order={2} size="h3">
          All is imported
        </Title>
      </Group>
      <Text>
        {count('new')} added, {count('changed')} changed, {count('unchanged')} as they were.
      </Text>
      <Group>
        <Button component={Link} href="/products">
          To the products
        </Button>
        <Button variant="default" onClick={onOther}>
          Import another file
        </Button>
      </Group>
    </Stack>
  )
}
