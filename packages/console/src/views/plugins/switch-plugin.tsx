import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/use-api.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { TextField } from '../../parts/form-fields.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { disabledBy } from '../../parts/page-settings.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';

interface SwitchPluginProps {
  readonly id: string;
  /** Whether it is disabled on the stage. */
  readonly isDisabled: boolean;
  /** Whether the deployment leaves it out, which no switch changes. */
  readonly isLeftOut: boolean;
}

/** Disables a plugin on the stage, with a reason, or enables it again. */
export const useSwitchPlugin = ({ id, isDisabled, isLeftOut }: SwitchPluginProps) => {
  const [isAsking, setAsking] = useState(false);
  const [message, setMessage] = useState('');
  const disable = useChange('POST /api/admin/plugins/{id}/disable');
  const enable = useChange('POST /api/admin/plugins/{id}/enable');
  const close = () => {
    setAsking(false);
    disable.reset();
  };

  const button = (
    <Button
      loading={enable.isPending}
      {...disabledBy(isLeftOut && 'DISABLED_PLUGINS of the deployment leaves it out.')}
      onClick={() => {
        disable.reset();
        if (isDisabled) enable.mutate({ params: { id } });
        else setAsking(true);
      }}
    >
      {isDisabled ? 'Enable' : 'Disable'}
    </Button>
  );

  const modal = (
    <Confirm
      title={`Disable the plugin ${id}?`}
      action="Disable"
      isBusy={disable.isPending}
      onConfirm={() =>
        disable.mutate(
          { params: { id }, query: { message: message.trim() } },
          { onSuccess: () => setAsking(false) },
        )
      }
      onCancel={close}
    >
      <SpaceBetween size="m">
        <Box>
          Its nodes that act on the outside fail within seconds, in running executions, too, and its
          credentials are not sent. You can enable it again at any time.
        </Box>
        <TextField
          label="Reason"
          description="For those who see the failures."
          stretch
          value={message}
          onChange={setMessage}
        />
        {disable.error !== null && <ProblemAlert error={disable.error} />}
      </SpaceBetween>
    </Confirm>
  );

  const result: ReactNode = (
    <>
      {isAsking && modal}
      {enable.error !== null && <ProblemAlert error={enable.error} />}
      {enable.data !== undefined && !isDisabled && (
        <Outcome dismissible onDismiss={enable.reset}>
          The plugin is enabled. Executions that failed can be retried.
        </Outcome>
      )}
      {disable.data !== undefined && isDisabled && (
        <Outcome dismissible onDismiss={disable.reset} header="The plugin is disabled">
          {disable.data.users.length === 0
            ? 'No workflow uses it.'
            : `These fail now: ${disable.data.users.join(', ')}.`}
        </Outcome>
      )}
    </>
  );
  return { button, result };
};
