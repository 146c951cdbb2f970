import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Form from '@cloudscape-design/components/form';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { FormEvent, ReactNode } from 'react';
import type { Call } from '../api/api.ts';
import type { Change } from '../api/use-api.ts';
import { ProblemAlert } from './problem-alert.tsx';

interface FormDialogProps {
  readonly title: string;
  /** The word on the button that does it. */
  readonly action: string;
  readonly change: Pick<Change<unknown>, 'isPending' | 'error'>;
  /** Null for what the fields show; that of the change when absent. */
  readonly error?: Error | null;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Fields for a change, sent with Enter or the button. What was refused stays in sight above it. */
export const FormDialog = (props: FormDialogProps): ReactNode => {
  const { title, action, change, error = change.error, onSubmit, onClose, children } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!change.isPending) onSubmit();
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
              <Button variant="primary" loading={change.isPending}>
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

interface ChangeDialogProps<Changed> extends Omit<FormDialogProps, 'change' | 'onSubmit'> {
  readonly change: Change<Changed>;
  /** What is sent. */
  readonly call: Call;
  readonly onDone: (changed: Changed) => void;
}

/** A dialog whose fields the API alone checks. */
export const ChangeDialog = <Changed,>({ call, onDone, ...props }: ChangeDialogProps<Changed>): ReactNode => (
  <FormDialog {...props} onSubmit={() => props.change.mutate(call, { onSuccess: onDone })} />
);
