import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Form from '@cloudscape-design/components/form';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { FormEvent, ReactNode } from 'react';
import { ProblemAlert } from './problem-alert.tsx';

interface FormDialogProps {
  readonly title: string;
  /** The word on the button that does it. */
  readonly action: string;
  readonly isBusy: boolean;
  /** What was refused; null if nothing was. */
  readonly error: Error | null;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Fields for a change, sent with Enter or the button. What was refused stays in sight above it. */
export const FormDialog = (props: FormDialogProps): ReactNode => {
  const { title, action, isBusy, error, onSubmit, onClose, children } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isBusy) onSubmit();
  };
  return (
    <Modal visible={true} header={title} closeAriaLabel="Close" onDismiss={onClose}>
      <form onSubmit={submit} autoComplete="off">
        <Form
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button formAction="none" variant="link" onClick={onClose}>
                Cancel
              </Button>
              <Button variant="primary" loading={isBusy}>
                {action}
              </Button>
            </SpaceBetween>
          }
        >
          <SpaceBetween size="m">
            {children}
            {error !== null && (
              <Box>
                <ProblemAlert error={error} />
              </Box>
            )}
          </SpaceBetween>
        </Form>
      </form>
    </Modal>
  );
};
