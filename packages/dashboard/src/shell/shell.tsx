import { Anchor, AppShell, Burger, Group, NavLink } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ComponentProps, ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { Logo } from '../components/logo.tsx'
import { ReturnLink } from '../components/return-link.tsx'
import {
  IconApi,
  IconChartDonut,
  IconFiles,
  IconHistory,
  IconHourglass,
  IconSettings,
  IconTag,
  IconTrash,
} from '../icons/icons.ts'
import { useHasTrash } from '../session/use-has-trash.ts'
import { ConflictDialog } from '../uploads/conflict-dialog.tsx'
import { DropZone } from '../uploads/drop-zone.tsx'
import { UploadTray } from '../uploads/upload-tray.tsx'
import { ColorSchemeSwitch } from './color-scheme-switch.tsx'
import { OfflineBadge } from './offline-badge.tsx'
import { PageErrorBoundary } from './page-error-boundary.tsx'
import { ReadOnlyBadge } from './read-only-badge.tsx'
import classes from './shell.module.css'
import { usePageStart } from './use-page-start.ts'

const PAGES = [
  { path: '/', label: 'Assets', Icon: IconFiles },
  { path: '/products', label: 'Products', Icon: IconTag },
  { path: '/uploads', label: 'Unfinished', Icon: IconHourglass },
  { path: '/trash', label: 'Trash', Icon: IconTrash },
  { path: '/activity', label: 'Activity', Icon: IconHistory },
  { path: '/storage', label: 'Storage', Icon: IconChartDonut },
  { path: '/settings', label: 'Settings', Icon: IconSettings },
] as const

/** The frame around every page: header, navigation, uploads and drop zone. */
export function Shell({ children }: { children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure()
  const [location] = useLocation()
  usePageStart(location)
  const hasTrash = useHasTrash()
  const pages = PAGES.filter(({ path }) => path !== '/trash' || hasTrash)
  const isCurrent = (path: string) =>
    path === '/' ? location === '/' || location.startsWith('/assets/') : location.startsWith(path)
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? 'Close menu' : 'Open menu'}
            />
            <Anchor component={Link} href="/" className={classes.home} aria-label="Stowage: home">
              <Logo />
              Stowage
            </Anchor>
          </Group>
          <Group gap="sm" wrap="nowrap">
            <OfflineBadge />
            <ReadOnlyBadge />
            <ColorSchemeSwitch />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        {pages.map(({ path, label, Icon }) => (
          <NavLink
            key={path}
            component={PageLink}
            path={path}
            isOpen={location === path}
            className={classes.link}
            label={label}
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
          label="API reference"
          leftSection={<IconApi size={18} aria-hidden />}
          mt="auto"
        />
      </AppShell.Navbar>
      <AppShell.Main tabIndex={-1} className={classes.main}>
        <div className={classes.page}>
          {/* The key resets the state and the error of the previous page. */}
          <PageErrorBoundary key={location}>{children}</PageErrorBoundary>
        </div>
        <UploadTray />
      </AppShell.Main>
      <DropZone />
      <ConflictDialog />
    </AppShell>
  )
}

interface PageLinkProps extends ComponentProps<'a'> {
  path: (typeof PAGES)[number]['path']
  isOpen: boolean
}

/** Links to a page. A list opens as the user left it; on the list itself, the link clears the search. */
function PageLink({ path, isOpen, ...props }: PageLinkProps) {
  const isList = path === '/' || path === '/products'
  if (isList && !isOpen) return <ReturnLink {...props} list={path} />
  return <Link {...props} href={path} />
}
