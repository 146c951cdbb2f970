import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import { Component, type ReactNode } from 'react';

/** Shows a fault of a view in its place; the rest of the page stays usable. */
export class FailureBoundary extends Component<
  { readonly children: ReactNode },
  { readonly error: Error | null }
> {
  override state: { readonly error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div role="alert">
        <Alert
          type="error"
          header="This view failed"
          action={<Button onClick={() => location.reload()}>Reload the page</Button>}
        >
          {error.message}
        </Alert>
      </div>
    );
  }
}
