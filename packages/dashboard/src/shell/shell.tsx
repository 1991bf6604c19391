import {
  ActionIcon,
  Alert,
  Anchor,
  AppShell,
  Badge,
  Burger,
  Group,
  NavLink,
  Stack,
  Text,
  Title,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Component, type ComponentProps, type ReactNode, useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { focusPage } from '../components/focus.ts'
import { LanguageMenu } from '../components/language-menu.tsx'
import {
  type ListPath,
  RETURN_STATE,
  ReturnLink,
  saveListPosition,
} from '../components/list-position.tsx'
import { Logo, useTitle } from '../components/page.tsx'
import { ErrorAlert } from '../components/page-states.tsx'
import { useConnection, useServiceDown } from '../components/service.ts'
import { shell } from '../i18n/en/shell.ts'
import {
  IconApi,
  IconChartDonut,
  IconFiles,
  IconHistory,
  IconHourglass,
  IconLock,
  IconMail,
  IconMoon,
  IconPlugConnectedX,
  IconServer,
  IconSettings,
  IconShoppingCart,
  IconSun,
  IconTag,
  IconTrash,
  IconWifiOff,
} from '../icons/icons.tsx'
import { useHasScope, useHasTrash, useIsOperator } from '../session/account.tsx'
import { DropZone } from '../uploads/add-files.tsx'
import { UploadTray } from '../uploads/upload-tray.tsx'
import { ConflictDialog } from '../uploads/waiting-files.tsx'
import classes from './shell.module.css'
import { Shortcuts } from './shortcuts.tsx'
import { SignOut } from './sign-out.tsx'

const PAGES = [
  { path: '/', label: 'assets', Icon: IconFiles },
  { path: '/products', label: 'products', Icon: IconTag },
  { path: '/orders', label: 'orders', Icon: IconShoppingCart },
  { path: '/mails', label: 'mails', Icon: IconMail },
  { path: '/uploads', label: 'unfinishedUploads', Icon: IconHourglass },
  { path: '/trash', label: 'trash', Icon: IconTrash },
  { path: '/activity', label: 'activity', Icon: IconHistory },
  { path: '/storage', label: 'storage', Icon: IconChartDonut },
  { path: '/settings', label: 'settings', Icon: IconSettings },
  { path: '/service', label: 'service', Icon: IconServer },
] as const

/** The frame around every page: header, navigation, uploads and drop zone. */
export function Shell({ children }: { children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure()
  const [location] = useLocation()
  usePageStart(location)
  const hasTrash = useHasTrash()
  const isOperator = useIsOperator() === true
  const isShown = { '/trash': hasTrash, '/service': isOperator }
  const pages = PAGES.filter(({ path }) => Reflect.get(isShown, path) ?? true)
  const isCurrent = (path: string) =>
    path === '/' ? location === '/' || location.startsWith('/assets/') : location.startsWith(path)
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      {/* biome-ignore lint/a11y/useValidAnchor: a link within the page, which must not add an entry to the history */}
      <a
        href="#page"
        className={classes.skip}
        onClick={(event) => {
          event.preventDefault()
          focusPage()
        }}
      >
        {shell.skip}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? shell.closeMenu : shell.openMenu}
            />
            <Anchor component={Link} href="/" className={classes.home} aria-label={shell.home}>
              <Logo />
              Stowage
            </Anchor>
          </Group>
          <Group gap="sm" wrap="nowrap">
            <OfflineBadge />
            <ReadOnlyBadge />
            <LanguageMenu />
            <ColorSchemeSwitch />
            <SignOut />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={shell.pages}>
        {pages.map(({ path, label, Icon }) => (
          <NavLink
            key={path}
            component={PageLink}
            path={path}
            isOpen={location === path}
            className={classes.link}
            label={shell[label]}
            leftSection={<Icon size={18} aria-hidden />}
            active={isCurrent(path)}
            aria-current={isCurrent(path) ? 'page' : undefined}
            onClick={close}
          />
        ))}
        {/* The service renders this page, so the link does not use the router. */}
        <NavLink
          href="/docs"
          className={classes.link}
          label={shell.reference}
          leftSection={<IconApi size={18} aria-hidden />}
          mt="auto"
        />
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1} className={classes.main}>
        <ServiceBanner />
        <div className={classes.page}>
          {/* The key resets the state and the error of the previous page. */}
          <PageErrorBoundary key={location}>{children}</PageErrorBoundary>
        </div>
        <UploadTray />
      </AppShell.Main>
      <DropZone />
      <ConflictDialog />
      <Shortcuts />
    </AppShell>
  )
}

/** The only message while the service does not respond: pages and uploads wait. */
function ServiceBanner() {
  const isDown = useServiceDown()
  return (
    <div className={classes.banner}>
      {isDown && (
        <Alert color="orange" icon={<IconPlugConnectedX aria-hidden />} title={shell.down}>
          {shell.downHint}
        </Alert>
      )}
    </div>
  )
}

interface PageLinkProps extends ComponentProps<'a'> {
  path: (typeof PAGES)[number]['path']
  isOpen: boolean
}

/** Links to a page. A list opens as the user left it; on the list itself, the link clears the search. */
function PageLink({ path, isOpen, ...props }: PageLinkProps) {
  if (isList(path) && !isOpen) return <ReturnLink {...props} list={path} />
  return <Link {...props} href={path} />
}

function ColorSchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  const Icon = isDark ? IconSun : IconMoon
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={isDark ? shell.toLight : shell.toDark}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      <Icon size={20} aria-hidden />
    </ActionIcon>
  )
}

function OfflineBadge() {
  const isOffline = useConnection() === 'offline'
  return (
    <div role="status">
      {isOffline && (
        <Badge color="orange" leftSection={<IconWifiOff size={14} aria-hidden />}>
          {shell.offline}
        </Badge>
      )}
    </div>
  )
}

/** Explains why the pages have no buttons to upload, change or delete. */
function ReadOnlyBadge() {
  if (useHasScope('write')) return null
  return (
    <Tooltip
      label={shell.readOnlyHint}
      events={{ hover: true, focus: true, touch: true }}
      multiline
      withinPortal={false}
      maw={280}
    >
      <Badge
        color="gray"
        variant="light"
        leftSection={<IconLock size={14} aria-hidden />}
        tabIndex={0}
      >
        {shell.readOnly}
      </Badge>
    </Tooltip>
  )
}

interface ErrorState {
  error: unknown
}

/**
 * Limits an error to the page: a page that throws, or whose script cannot be loaded, does not stop the
 * uploads. It is a class because React has no error boundaries in function components.
 */
class PageErrorBoundary extends Component<{ children: ReactNode }, ErrorState> {
  override state: ErrorState = { error: undefined }

  static getDerivedStateFromError(error: unknown): ErrorState {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <ErrorAlert
        title={shell.openFailed}
        error={shell.openFailedHint}
        retryLabel={shell.reload}
        onRetry={() => location.reload()}
      />
    )
  }
}

export function NotFound() {
  useTitle(shell.notFound)
  return (
    <Stack align="flex-start" gap="xs">
      <Title order={1} size="h2">
        {shell.notFound}
      </Title>
      <Text c="dimmed">{shell.notFoundHint}</Text>
      <Anchor component={Link} href="/">
        {shell.goToAssets}
      </Anchor>
    </Stack>
  )
}

const LISTS: readonly string[] = ['/', '/products', '/orders', '/mails'] satisfies ListPath[]

function isList(path: string): path is ListPath {
  return LISTS.includes(path)
}

/**
 * A new page starts at its top, both for scrolling and for the focus of the keyboard. The browser
 * restores the scroll position when the user goes back. The position of a list is saved when the user
 * leaves it, for the links that return to it.
 */
function usePageStart(path: string): void {
  const previous = useRef(path)

  useEffect(() => {
    let url = currentUrl()
    const onLeave = () => {
      const [list = ''] = url.split('?')
      if (isList(list)) saveListPosition(list, { url, top: scrollY })
      url = currentUrl()
    }
    const onPush = () => {
      onLeave()
      // A list restores its own scroll position when the user returns to it.
      if (history.state?.isReturn !== RETURN_STATE.isReturn)
        scrollTo({ top: 0, behavior: 'instant' })
    }
    const onReplace = () => {
      url = currentUrl()
    }
    // The router dispatches the first two.
    addEventListener('pushState', onPush)
    addEventListener('replaceState', onReplace)
    addEventListener('popstate', onLeave)
    return () => {
      removeEventListener('pushState', onPush)
      removeEventListener('replaceState', onReplace)
      removeEventListener('popstate', onLeave)
    }
  }, [])

  useEffect(() => {
    if (previous.current === path) return
    previous.current = path
    focusPage()
  }, [path])
}

function currentUrl(): string {
  return location.pathname + location.search
}
