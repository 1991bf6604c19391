import { Component, type ReactNode } from 'react'
import { ErrorAlert } from '../components/error-alert.tsx'

interface State {
  error: unknown
}

/**
 * Limits an error to the page: a page that throws, or whose script cannot be loaded, does not stop the
 * uploads. It is a class because React has no error boundaries in function components.
 */
export class PageErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: undefined }

  static getDerivedStateFromError(error: unknown): State {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <ErrorAlert
        title="Could not open this page"
        error="The service may be unreachable, or it was updated after you opened the dashboard. Reload the page."
        retryLabel="Reload"
        onRetry={() => location.reload()}
      />
    )
  }
}
