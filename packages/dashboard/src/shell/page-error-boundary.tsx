import { Component, type ReactNode } from 'react'
import { Problem } from '../components/error-alert.tsx'

interface State {
  error: unknown
}

/**
 * A page that breaks, or whose script can't be had, takes nothing else down with it: uploads go on. A
 * class, as React has no other way.
 */
export class PageBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: undefined }

  static getDerivedStateFromError(error: unknown): State {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <Problem
        title="This page could not be opened"
        error="The service may be out of reach, or was brought up to date since you came. Loading the page anew mostly helps."
        onRetry={() => location.reload()}
      />
    )
  }
}
