import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';

interface ConfirmProps {
  readonly title: string;
  /** The word on the button that does it. */
  readonly action: string;
  readonly isBusy?: boolean;
  /** Why it can't be done yet; null if it can. */
  readonly problem?: string | null;
  /** The word on the button that leaves it. */
  readonly leave?: string;
  readonly isLarge?: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

/** Asks before a change, with what it does and with the fields that it needs. */
export const Confirm = ({
  title,
  action,
  isBusy = false,
  problem = null,
  leave = 'Close',
  isLarge = false,
  onConfirm,
  onCancel,
  children,
}: ConfirmProps): ReactNode => (
  <Modal
    visible={true}
    size={isLarge ? 'large' : 'medium'}
    header={title}
    closeAriaLabel="Close"
    onDismiss={onCancel}
    footer={
      <Box float="right">
        <SpaceBetween direction="horizontal" size="xs">
          <Button variant="link" onClick={onCancel}>
            {leave}
          </Button>
          <Button
            variant="primary"
            loading={isBusy}
            disabled={problem !== null}
            {...(problem === null ? {} : { disabledReason: problem })}
            onClick={onConfirm}
          >
            {action}
          </Button>
        </SpaceBetween>
      </Box>
    }
  >
    {children}
  </Modal>
);
