import { Button, Group, Progress, Stack, Text, Title } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useEffect } from 'react'
import { Link } from 'wouter'
import { Name } from '../../format/name.tsx'
import { countText, numberText } from '../../format/size-text.ts'
import { BackLink } from '../../shell/back-link.tsx'
import { Loading } from '../../shell/loading.tsx'
import { Problem } from '../../shell/problem.tsx'
import { useTitle } from '../../shell/use-title.ts'
import { ChooseFile } from './choose-file.tsx'
import { ImportPreview } from './import-preview.tsx'
import { ProblemTable } from './import-tables.tsx'
import { type Import, useImport, wantedOf } from './use-import.ts'

export function ImportPage() {
  useTitle('Import products')
  const { state, read, send, restart } = useImport()
  useWarningBeforeLeaving(state.step === 'sending' && state.failure === undefined)
  return (
    <Stack gap="md">
      <BackLink href="/products">All products</BackLink>
      <Title order={1} size="h2">
        Import products
      </Title>
      {'fileName' in state && <Name c="dimmed">{state.fileName}</Name>}
      {'preview' in state && <Name c="dimmed">{state.preview.fileName}</Name>}
      {state.step === 'choosing' && <ChooseFile onFile={(file) => void read(file)} />}
      {state.step === 'reading' && <Loading />}
      {state.step === 'failed' && (
        <Problem title="It can’t be compared" error={state.error} onRetry={state.retry} />
      )}
      {state.step === 'looking' && (
        <ImportPreview
          preview={state.preview}
          onSend={() => void send(state.preview)}
          onOther={restart}
        />
      )}
      {state.step === 'sending' && (
        <Sending state={state} onRetry={() => void send(state.preview, state.done)} />
      )}
      {state.step === 'done' && <Done preview={state.preview} onOther={restart} />}
    </Stack>
  )
}

type Step<Name extends Import['step']> = Extract<Import, { step: Name }>

function Sending({ state, onRetry }: { state: Step<'sending'>; onRetry(): void }) {
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
          <Problem title="The rest was not sent" error={failure.error} onRetry={onRetry} />
          {failure.problems.length > 0 && (
            <ProblemTable problems={failure.problems} format={preview.format} />
          )}
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

function useWarningBeforeLeaving(isBusy: boolean): void {
  useEffect(() => {
    if (!isBusy) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isBusy])
}
